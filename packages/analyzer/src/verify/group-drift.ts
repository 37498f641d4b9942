import { SUBSYSTEMS } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Drift, DriftGroup } from './report.js'

/** A drift, and whose it is: `default/web:http/TCP`; empty for none that is known. */
export interface OwnedDrift {
  readonly servicePort: string
  readonly drift: Drift
}

/** By service port; within one by language and place, and otherwise in the order given. */
export function groupDrift(all: readonly OwnedDrift[]): readonly DriftGroup[] {
  const groups = new Map<string, Drift[]>()
  for (const { servicePort, drift } of all) {
    const known = groups.get(servicePort)
    if (known === undefined) groups.set(servicePort, [drift])
    else known.push(drift)
  }
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .map(([servicePort, drift]) => ({ servicePort, drift: drift.sort(compareDrift) }))
}

function compareDrift(a: Drift, b: Drift): number {
  return SUBSYSTEMS.indexOf(a.language) - SUBSYSTEMS.indexOf(b.language) || compareText(a.place, b.place)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
