import {
  addFractions,
  isLessThan,
  ONE_FRACTION,
  parseFraction,
  ZERO_FRACTION,
} from '@kube-rules/compiler/internal/internal/fraction'
import type { Comparison, SideOutcomes, VersionCause } from './comparison.js'
import { shortenName } from './markdown.js'

/** The names of the two sides, such as `old` and `new`, or `iptables` and `nftables`. */
export type SideNames = readonly [a: string, b: string]

/** Formats a summary: `3 differences, 1 contested in 120 classes of packets`. */
export function formatComparisonSummary(comparison: Comparison): string {
  const { equal, classes, differences, inconclusive, contested = [], expected, notCompared = [] } = comparison
  const inAll = `${classes} classes of packets`
  if (equal) return `no difference in ${inAll}`
  const ofContested = contested.length === 0 ? '' : `, ${contested.length} contested`
  if (expected && notCompared.length + differences.length + inconclusive.length === 0)
    return `no unexpected difference${ofContested} in ${inAll}`
  const undetermined = inconclusive.length === 0 ? '' : `, ${inconclusive.length} undetermined`
  const counted = `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`
  return `${counted}${undetermined}${ofContested} in ${inAll}`
}

/** Formats the destinations with an incomplete comparison. Undefined if every destination was compared. */
export function formatUncomparedDestinations({ notCompared = [] }: Comparison): string | undefined {
  if (notCompared.length === 0) return undefined
  const more = notCompared.length > MOST ? ` and ${notCompared.length - MOST} more` : ''
  const destinations = `${notCompared.slice(0, MOST).join(', ')}${more}`
  return `not fully compared, because there are too many classes of packets: destinations ${destinations}`
}

/**
 * Formats the expected differences: `18 classes differ by known limitations: ipvs otherPortsRejected (18)`; undefined
 * if no difference was expected.
 */
export function formatExpectedDifferences({ expected }: Comparison, [a, b]: SideNames): string | undefined {
  if (expected === undefined || expected.classes === 0) return undefined
  const names = { a, b, both: 'plans' }
  const each = expected.limitations.map(({ side, code, classes }) => `${names[side]} ${code} (${classes})`)
  return `${expected.classes} ${expected.classes === 1 ? 'class differs' : 'classes differ'} by known limitations: ${each.join(', ')}`
}

/** Maximum number of listed outcomes and destinations; the rest are counted. */
const MOST = 4

/**
 * Formats the outcomes of the example packet on one side: `1/2 10.244.1.1:8080; 1/2 10.244.1.2:8080`. If the outcome
 * depends on unknown conditions, it has no probabilities: `depending on unknown conditions: 10.244.1.1:8080; dropped`.
 * If kube-proxy selects one of several service ports, their outcomes are listed: `one of d/a:http/TCP
 * (10.244.1.1:8080), d/b:http/TCP (10.244.1.2:8080) at random`.
 */
export function formatSide(side: SideOutcomes): string {
  const { choices } = side
  if (choices === undefined) return formatOutcomes(side)
  const texts = choices
    .slice(0, MAX_CHOICES)
    .map((choice) => `${shortenName(choice.servicePort)} (${formatOutcomes(choice)})`)
  const more = choices.length > texts.length ? [`${choices.length - texts.length} more`] : []
  return `one of ${[...texts, ...more].join(', ')} at random`
}

/** Maximum number of listed service ports that kube-proxy selects from; the rest are counted. */
const MAX_CHOICES = 6

function formatOutcomes(side: SideOutcomes): string {
  const depends = dependsOnConditions(side)
  const outcomes = Object.entries(side.outcomes).map(([text, weight]) =>
    depends || weight === '1' ? text : `${weight} ${text}`,
  )
  const conditions = depends ? 'depending on unknown conditions: ' : ''
  // Outcomes other than endpoints are never omitted.
  const shown = outcomes.filter((text, index) => index < MOST || !isEndpoint(text))
  const rest = outcomes.length > shown.length ? `; ${outcomes.length - shown.length} more` : ''
  const remembers = side.affinitySeconds === undefined ? '' : `; session affinity of ${side.affinitySeconds} s`
  return `${conditions}${shown.join('; ')}${rest}${remembers}`
}

/** Reports whether the text of an outcome is an address and port: `10.244.1.1:8080`, `1/2 10.244.1.1:8080, masqueraded`. */
export function isEndpoint(outcome: string): boolean {
  return /^(?:\d+\/\d+ )?\S+:\d+(?:, masqueraded)?$/.test(outcome)
}

/** Reports whether the weights exceed 1, because paths with opposite conditions count together. */
function dependsOnConditions({ outcomes }: SideOutcomes): boolean {
  const total = Object.values(outcomes).map(parseFraction).reduce(addFractions, ZERO_FRACTION)
  return isLessThan(ONE_FRACTION, total)
}

/** Formats a cause: `since 1.24: external traffic takes … (xlbChains, kubernetes/kubernetes#109060)`. */
export function formatCause({ version, feature, summary, change }: VersionCause): string {
  const names = change === undefined ? feature : `${feature}, ${change}`
  return summary === undefined ? `since ${version}: ${names}` : `since ${version}: ${summary} (${names})`
}
