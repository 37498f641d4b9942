import type { Finding } from './finding.js'
import type { Drift, DriftGroup, DriftLanguage } from './report.js'

const LANGUAGES: readonly DriftLanguage[] = ['iptables', 'ipset', 'ipvs', 'addresses']

/** By service port; within one by language and place, and otherwise in the order given. */
export function groupFindings(findings: readonly Finding[]): readonly DriftGroup[] {
  const groups = new Map<string, Drift[]>()
  for (const { servicePort, drift } of findings) {
    const known = groups.get(servicePort)
    if (known === undefined) groups.set(servicePort, [drift])
    else known.push(drift)
  }
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .map(([servicePort, drift]) => ({ servicePort, drift: drift.sort(compareDrift) }))
}

function compareDrift(a: Drift, b: Drift): number {
  return LANGUAGES.indexOf(a.language) - LANGUAGES.indexOf(b.language) || compareText(a.place, b.place)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
