import type { Difference } from '@kube-rules/analyzer/compare'
import type { ViewNode } from '@kube-rules/analyzer/view'
import type { IpFamily } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import { describeOutcomeChange } from './change-effect.js'
import { severityOfDifference, type TrafficLine } from './change-severity.js'

/** Packets with one kind of difference between two modes or versions. */
export interface ComparisonGroup {
  /** The difference: `delivered → dropped`. */
  readonly effect: string
  /** The behavior of a Service with the difference: `loses packets`; the second text is for several Services. */
  readonly verbs: Verbs
  readonly isLost: boolean
  readonly packets: readonly ComparedPackets[]
}

/** Packets of Services that are handled differently. */
export interface ComparedPackets {
  /** The Services: `default/web`; empty for packets of no Service. */
  readonly services: readonly string[]
  readonly family: IpFamily
  readonly node: ViewNode
  /** An example, as text for the packet box; empty if the packet box cannot express it. */
  readonly example: string
}

type Verbs = readonly [one: string, several: string]

/** The kinds of differences, the most severe one first. */
const KINDS: readonly (readonly [isKind: (effect: string, severity: string) => boolean, verbs: Verbs])[] = [
  [(_, severity) => severity === 'error', ['loses packets', 'lose packets']],
  [(_, severity) => severity === 'ok', ['receives more packets', 'receive more packets']],
  [(effect) => effect.endsWith('→ client IP'), ['keeps the client IP', 'keep the client IP']],
  [(effect) => effect.endsWith('masqueraded'), ['masquerades packets', 'masquerade packets']],
  [(effect) => effect.startsWith('session affinity'), ['has other session affinity', 'have other session affinity']],
  [
    (effect) => /endpoint|delivered|(?<!kube-)proxy/.test(effect),
    ['chooses endpoints differently', 'choose endpoints differently'],
  ],
  [() => true, ['fails differently', 'fail differently']],
]

interface RankedGroup extends ComparisonGroup {
  readonly rank: number
  readonly packets: ComparedPackets[]
}

/**
 * Groups packets by the kind of their difference. Groups with lost packets are first, groups with packets to no Service
 * last. `exampleOf` also receives whether a difference is the first of its group.
 */
export function groupComparison(
  lines: readonly TrafficLine[],
  exampleOf: (difference: Difference, isFirst: boolean) => string,
): readonly ComparisonGroup[] {
  const groups = new Map<string, RankedGroup>()
  for (const { node, difference } of lines) {
    if (difference === undefined) continue
    const [effect, severity] = [describeOutcomeChange(difference), severityOfDifference(difference)]
    const services = servicesOf(node)
    const key = `${services.length === 0} ${severity} ${effect}`
    const known = groups.get(key) ?? createGroup(effect, severity)
    groups.set(key, known)
    const family = familyOf(difference.packet.destination)
    known.packets.push({ services, family, node, example: exampleOf(difference, known.packets.length === 0) })
  }
  return [...groups.values()]
    .sort((one, other) => Number(isOfNoService(one)) - Number(isOfNoService(other)) || one.rank - other.rank)
    .map(({ rank, ...group }) => group)
}

function createGroup(effect: string, severity: string): RankedGroup {
  const rank = KINDS.findIndex(([isKind]) => isKind(effect, severity))
  return { effect, verbs: KINDS[rank]?.[1] ?? ['', ''], isLost: severity === 'error', rank, packets: [] }
}

function servicesOf({ objects }: ViewNode): readonly string[] {
  return [...new Set(objects.map(({ namespace, name }) => `${namespace}/${name}`))]
}

function isOfNoService({ packets }: Pick<ComparisonGroup, 'packets'>): boolean {
  return packets[0]?.services.length === 0
}

/** Returns the sorted Services of groups. */
export function servicesOfComparisonGroups(groups: readonly ComparisonGroup[]): readonly string[] {
  return [...new Set(groups.flatMap(({ packets }) => packets.flatMap(({ services }) => services)))].sort()
}

/**
 * Describes all differences: `With ipvs instead of iptables, 3 of 12 Services behave differently: 2 lose packets, 1 keeps
 * the client IP.`
 */
export function describeComparison(
  groups: readonly ComparisonGroup[],
  services: number,
  [from, to]: readonly [string, string],
): string {
  const different = servicesOfComparisonGroups(groups).length
  const others = groups.some(isOfNoService)
    ? different === 0
      ? ' Only packets that are not for a Service are handled differently.'
      : ' Packets that are not for a Service are handled differently, too.'
    : ''
  const byVerb = new Map<string, { readonly verbs: Verbs; readonly groups: ComparisonGroup[] }>()
  for (const group of groups.filter((each) => !isOfNoService(each))) {
    const known = byVerb.get(group.verbs[0]) ?? { verbs: group.verbs, groups: [] }
    byVerb.set(group.verbs[0], known)
    known.groups.push(group)
  }
  const parts = Array.from(byVerb.values(), ({ verbs, groups: alike }) =>
    countServices(servicesOfComparisonGroups(alike).length, verbs),
  )
  const all = services === 1 ? '1 Service' : `${services} Services`
  const what =
    different === 0
      ? `${services === 1 ? 'the only Service behaves' : `all ${all} behave`} the same`
      : `${different} of ${all} ${different === 1 ? 'behaves' : 'behave'} differently: ${parts.join(', ')}`
  return `With ${to} instead of ${from}, ${what}.${others}`
}

function countServices(count: number, [one, several]: Verbs): string {
  return `${count} ${count === 1 ? one : several}`
}
