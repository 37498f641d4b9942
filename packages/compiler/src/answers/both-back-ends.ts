import type { NodeState } from '../dataplane/languages.js'
import type { Plan } from '../plan/plan.js'
import { servicePortText } from '../services/service-port-text.js'
import type { FamilyReport } from '../verify/report.js'
import type { Answer } from './answer.js'
import { ownChainsOf } from './node-facts.js'
import { serviceText } from './packet-facts.js'

/** What one back end of iptables holds of a family, and how it compares. */
export interface BackEndFacts {
  /** What people know it by. */
  readonly name: string
  readonly live: NodeState
  readonly report: FamilyReport
}

/** That both back ends of iptables hold rules of kube-proxy, of which it keeps one up to date: the one that fits better. */
export function bothBackEndsAnswer(backEnds: readonly BackEndFacts[], { services }: Plan): Answer | undefined {
  const [best, worst] = backEnds.filter(({ live }) => holdsServices(live)).sort(byDrift)
  if (best === undefined || worst === undefined) return undefined
  const names = backEnds.map(({ name }) => name)
  const group = worst.report.drift.find(({ servicePort }) => servicePort !== '')
  const service = services.find(({ id }) => group === undefined || servicePortText(id) === group.servicePort)
  const place = group?.drift.find(({ kind }) => kind === 'extra')?.place ?? group?.drift[0]?.place
  const object = service && serviceText(service.id)
  if (object === undefined) return undefined
  const fit = isFit(best)
    ? `${best.name} is what the objects ask for`
    : `${best.name} is nearer to what the objects ask for`
  const example =
    place === undefined ? `, as for ${object}; both have nat/KUBE-SERVICES` : `, as of ${object} by ${place}`
  return {
    code: 'bothBackEnds',
    happens: `Both ${names.join(' and ')} hold rules of kube-proxy, and packets pass both`,
    why: `${fit}, and ${worst.name} ${differenceText(worst)}${example}`,
    todo: `take away the rules of ${worst.name}, which kube-proxy does not keep up to date: run kube-proxy --cleanup with the iptables of that back end`,
    object,
    rule: place ?? 'nat/KUBE-SERVICES',
  }
}

function holdsServices({ iptables }: NodeState): boolean {
  return iptables?.tables.some((table) => table.name === 'nat' && ownChainsOf(table).includes('KUBE-SERVICES')) ?? false
}

function byDrift(a: BackEndFacts, b: BackEndFacts): number {
  return countOf(a) - countOf(b)
}

function countOf({ report }: BackEndFacts): number {
  return report.drift.reduce((sum, { drift }) => sum + drift.length, 0)
}

function isFit({ report }: BackEndFacts): boolean {
  return report.drift.length === 0
}

function differenceText({ report }: BackEndFacts): string {
  const ports = report.drift.filter(({ servicePort }) => servicePort !== '').length
  return ports === 0
    ? 'says the same today'
    : `differs from them at ${ports === 1 ? '1 service port' : `${ports} service ports`}`
}
