import type { Difference } from '@kube-rules/analyzer/compare'
import { joinHostPort } from '@kube-rules/types/internal/ip'

/**
 * Describes the effect of differences on packets: `each endpoint 1/3 → 1/4; masqueraded → client IP`. Leaves out
 * effects that the texts in `causes` already name: changed addresses or ports of the same endpoints, other endpoints,
 * and session affinity.
 */
export function describeEffect(differences: readonly Difference[], causes: readonly string[] = []): string {
  const effects = new Map<string, { readonly effect: Effect; readonly outcomes: Set<string> }>()
  for (const effect of differences.flatMap(({ a, b }) => effectsOf(a, b))) {
    const key = keyOf(effect)
    const known = effects.get(key) ?? { effect, outcomes: new Set() }
    effects.set(key, known)
    known.outcomes.add(effect.outcome ?? '')
  }
  const isMoved = ({ from, to, outcome }: Effect) => outcome !== undefined && effects.has(keyOf({ from: to, to: from }))
  const isNamed = (effect: Effect) => isMoved(effect) || effect.isNamed?.(causes)
  return [...effects.values()]
    .filter(({ effect }) => causes.length === 0 || !isNamed(effect))
    .map(({ effect, outcomes }) => keyOf(effect).replace('*', [...outcomes].join(' or ')))
    .join('; ')
}

/** Describes the outcome of the example packet on one side: `3 endpoints, each 1/3, masqueraded`, `rejected`. */
export function describeSide(side: Side): string {
  const endpoints = endpointsOf(side)
  const isDelivered = side.paths.every(({ outcome }) => outcome.kind === 'delivered')
  if (endpoints.size === 0) return kindsOf(side)
  if (!isDelivered)
    return Object.entries(side.outcomes)
      .map(([outcome, share]) => `${outcome} ${share}`)
      .join(' or ')
  const share = endpoints.size === 1 ? '' : `, each ${sharesOf(side)}`
  const source = sourceOf(endpoints, endpoints)
  return `${nameEndpoints([...endpoints.keys()])}${share}${source === 'client IP' ? '' : `, ${source}`}`
}

/** Describes one difference without addresses, so that the texts of Services with different endpoints are equal. */
export function describeOutcomeChange({ a, b }: Difference): string {
  const [from, to] = [kindsOf(a), kindsOf(b)]
  if (from !== to) return `${from} → ${to}`
  return effectsOf(a, b, (_, several = 'endpoints') => several)
    .map((effect) => keyOf(effect).replace('*', effect.outcome ?? ''))
    .join('; ')
}

/** An effect as text. */
interface Effect {
  /** The changed property, if the values need one: `each endpoint`. */
  readonly subject?: string
  readonly from: string
  readonly to: string
  /** The outcome of the packets that reach no endpoint. In `from` or `to`, the character `*` represents this outcome. */
  readonly outcome?: string
  /** Reports whether the texts of the causes already describe the effect, so that it is left out. */
  readonly isNamed?: (causes: readonly string[]) => boolean
}

function keyOf({ subject = '', from, to }: Effect): string {
  return `${subject}${from} → ${to}`
}

/** Reports whether a cause names a changed endpoint address or port. */
function nameEndpointChange(causes: readonly string[]): boolean {
  return causes.some((cause) => /^endpoint (?:port )?[\d.a-f:, ]+(?:and \d+ more)? → /.test(cause))
}

const OUTCOMES: Readonly<Record<Side['paths'][number]['outcome']['kind'], string>> = {
  delivered: 'delivered',
  proxy: 'proxy',
  rejected: 'rejected',
  dropped: 'dropped',
  unmatched: 'not handled by kube-proxy',
  unknown: 'undetermined',
}

type Side = Difference['a']

/**
 * The endpoints on one side of a comparison, by address. The value shows whether packets to the endpoint are
 * masqueraded.
 */
type Endpoints = ReadonlyMap<string, boolean>

/** A function that formats endpoints as text; `several` is the noun for several endpoints. */
type NameEndpoints = (endpoints: readonly string[], several?: string) => string

function effectsOf(a: Side, b: Side, nameOf: NameEndpoints = nameEndpoints): readonly Effect[] {
  const [before, after] = [endpointsOf(a), endpointsOf(b)]
  if (after.size === 0) {
    const from = before.size === 0 ? outcomeOf(a, b) : nameOf([...before.keys()])
    return [{ from, to: '*', outcome: outcomeOf(b, a) }]
  }
  if (before.size === 0) return [{ from: '*', to: nameOf([...after.keys()]), outcome: outcomeOf(a, b) }]
  const removed = [...before.keys()].filter((endpoint) => !after.has(endpoint))
  const added = [...after.keys()].filter((endpoint) => !before.has(endpoint))
  const effects: readonly Effect[] = [
    { subject: 'each endpoint ', from: sharesOf(a), to: sharesOf(b) },
    ...(removed.length * added.length === 0
      ? []
      : [{ from: nameOf(removed), to: nameOf(added, 'others'), isNamed: nameEndpointChange }]),
    {
      subject: 'session affinity ',
      from: affinityOf(a),
      to: affinityOf(b),
      isNamed: (causes) => causes.includes(`session affinity ${affinityOf(a)} → ${affinityOf(b)}`),
    },
    { from: sourceOf(before, after), to: sourceOf(after, before) },
  ]
  return effects.filter(({ from, to }) => from !== to)
}

function endpointsOf({ paths }: Side): Endpoints {
  return new Map(
    paths.flatMap(({ outcome }) =>
      outcome.kind === 'delivered' ? [[joinHostPort(outcome.address, outcome.port), outcome.masqueraded]] : [],
    ),
  )
}

/** Describes the outcomes of one side of a comparison; in detail if the outcomes of the other side are of the same kind. */
function outcomeOf(side: Side, other: Side): string {
  const words = kindsOf(side)
  return words === kindsOf(other) ? Object.keys(side.outcomes).join(' or ') : words
}

function kindsOf({ paths }: Side): string {
  return [...new Set(paths.map(({ outcome }) => OUTCOMES[outcome.kind]))].join(' or ')
}

/** Returns the endpoint if there is only one endpoint, or else the number of endpoints. */
function nameEndpoints([first = '', ...rest]: readonly string[], several = 'endpoints'): string {
  return rest.length === 0 ? first : `${rest.length + 1} ${several}`
}

/** Returns the probability of each endpoint: `1/3`, or `1/3 or 2/3` if endpoints have different probabilities. */
function sharesOf({ outcomes }: Side): string {
  return [...new Set(Object.values(outcomes))].sort().join(' or ')
}

function affinityOf({ affinitySeconds }: Side): string {
  return affinitySeconds === undefined ? 'none' : `${affinitySeconds} s`
}

/** Describes the source address of packets to the endpoints that exist on both sides. */
function sourceOf(endpoints: Endpoints, others: Endpoints): string {
  const common = [...endpoints].filter(([endpoint]) => others.has(endpoint))
  const masqueraded = common.filter(([, isMasqueraded]) => isMasqueraded)
  if (masqueraded.length === 0) return 'client IP'
  return masqueraded.length === common.length ? 'masqueraded' : 'partly masqueraded'
}
