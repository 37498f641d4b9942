import type { Difference } from '@kube-rules/analyzer/compare'
import { joinHostPort } from '@kube-rules/types/internal/ip'

/** Describes the effect of differences: `each endpoint 1/3 → 1/4; session affinity: none → 10800 s`. */
export function describeEffect(differences: readonly Difference[]): string {
  const effects = new Map<string, Set<string>>()
  for (const [text, outcome] of differences.flatMap(({ a, b }) => effectsOf(a, b))) {
    effects.set(text, (effects.get(text) ?? new Set()).add(outcome))
  }
  return Array.from(effects, ([text, outcomes]) => text.replace('*', [...outcomes].join(' or '))).join('; ')
}

/** An effect as text; `*` stands for the outcome of packets without an endpoint. */
type Effect = readonly [text: string, outcome: string]

const OUTCOMES: Readonly<Record<Side['paths'][number]['outcome']['kind'], string>> = {
  delivered: 'delivered',
  proxy: 'proxy',
  rejected: 'rejected',
  dropped: 'dropped',
  unmatched: 'not handled by kube-proxy',
  unknown: 'undetermined',
}

type Side = Difference['a']

/** The endpoints of a side, and whether each one receives masqueraded packets. */
type Endpoints = ReadonlyMap<string, boolean>

function effectsOf(a: Side, b: Side): readonly Effect[] {
  const [before, after] = [endpointsOf(a), endpointsOf(b)]
  if (after.size === 0) {
    return [[`${before.size === 0 ? outcomeOf(a) : nameEndpoints([...before.keys()])} → *`, outcomeOf(b)]]
  }
  if (before.size === 0) return [[`* → ${nameEndpoints([...after.keys()])}`, outcomeOf(a)]]
  const [oldShares, newShares] = [sharesOf(a), sharesOf(b)]
  const removed = [...before.keys()].filter((endpoint) => !after.has(endpoint))
  const added = [...after.keys()].filter((endpoint) => !before.has(endpoint))
  const [from, to] = [affinityOf(a), affinityOf(b)]
  const [oldSource, newSource] = [sourceOf(before, after), sourceOf(after, before)]
  const texts = [
    ...(oldShares === newShares ? [] : [`each endpoint ${oldShares} → ${newShares}`]),
    ...(removed.length * added.length === 0 ? [] : [`${nameEndpoints(removed)} → ${nameEndpoints(added, 'others')}`]),
    ...(from === to ? [] : [`session affinity: ${from} → ${to}`]),
    ...(oldSource === newSource ? [] : [`${oldSource} → ${newSource}`]),
  ]
  return texts.map((text) => [text, ''])
}

function endpointsOf({ paths }: Side): Endpoints {
  return new Map(
    paths.flatMap(({ outcome }) =>
      outcome.kind === 'delivered' ? [[joinHostPort(outcome.address, outcome.port), outcome.masqueraded]] : [],
    ),
  )
}

function outcomeOf({ paths }: Side): string {
  return [...new Set(paths.map(({ outcome }) => OUTCOMES[outcome.kind]))].join(' or ')
}

/** Returns one endpoint, or the number of several. */
function nameEndpoints([first = '', ...rest]: readonly string[], several = 'endpoints'): string {
  return rest.length === 0 ? first : `${rest.length + 1} ${several}`
}

/** Returns the probability of each endpoint: `1/3`, or `1/3 or 2/3` if it is not the same for all. */
function sharesOf({ outcomes }: Side): string {
  return [...new Set(Object.values(outcomes))].sort().join(' or ')
}

function affinityOf({ affinitySeconds }: Side): string {
  return affinitySeconds === undefined ? 'none' : `${affinitySeconds} s`
}

/** Describes the source address of packets to the endpoints that both sides have. */
function sourceOf(endpoints: Endpoints, others: Endpoints): string {
  const common = [...endpoints].filter(([endpoint]) => others.has(endpoint))
  const masqueraded = common.filter(([, isMasqueraded]) => isMasqueraded)
  if (masqueraded.length === 0) return 'client IP'
  return masqueraded.length === common.length ? 'masqueraded' : 'partly masqueraded'
}
