import { SUBSYSTEMS } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { Drift, DriftGroup } from './report.js'

/** A drift item with its owner: `default/web:http/TCP`; empty if unknown. */
export interface ServicePortDrift {
  readonly servicePort: string
  readonly drift: Drift
}

/**
 * Groups drift items by service port. Each group is sorted by subsystem and location. Items with the same location keep
 * the given order.
 */
export function groupDrift(all: readonly ServicePortDrift[]): readonly DriftGroup[] {
  const groups = new Map<string, Drift[]>()
  for (const { servicePort, drift } of all) {
    const existing = groups.get(servicePort)
    if (existing === undefined) groups.set(servicePort, [drift])
    else existing.push(drift)
  }
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .map(([servicePort, drift]) => ({ servicePort, drift: drift.sort(compareDrift) }))
}

function compareDrift(a: Drift, b: Drift): number {
  return SUBSYSTEMS.indexOf(a.subsystem) - SUBSYSTEMS.indexOf(b.subsystem) || compareText(a.location, b.location)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
