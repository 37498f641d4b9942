import type { IpFamily } from '@kube-rules/types'
import { elementAt } from '../../../internal/known-items.js'
import { isDeepEqual, reuseIfEqual } from '../../../internal/plain-data.js'
import type { Resource } from '../../../patch/resource.js'
import { EMPTY_COMPARISON, type StateComparison } from '../../comparison.js'
import type { Match, Rule, Target } from '../ast.js'
import { canonicalizeRule } from '../canonical.js'
import { jumpTargetOf } from '../chains.js'
import { printRule } from '../print/print.js'
import { createChainResource, createJumpsResource, formatChainId } from '../resources.js'
import { alignChain, alignSharedChain, type ChainRule, type ExpectedRule } from './align-chain.js'
import { compareRules } from './compare-rules.js'
import { createRuleDriftItem, reportMissingChain } from './drift-items.js'
import type { ExpectedChain, TablePair } from './table-pair.js'

/** A rule that exists on the node. */
interface ActualRule extends ChainRule {
  /** The rule as dumped. */
  readonly dumped: Rule
}

/** Compares an expected custom chain with the actual chain. */
export function compareChain(
  pair: TablePair,
  chain: ExpectedChain,
  actual: readonly Rule[] | undefined,
): StateComparison {
  const { name, owner, owners } = chain
  const normal = chain.rules.map((rule) => canonicalizeRule(rule, pair.family))
  if (actual === undefined) return reportMissingChain(pair, { name, owner, rules: normal })
  // Fast path: most chains in dumps are already identical to the expected chains, so the actual rules need no
  // conversion to normal form.
  if (areRulesEqual(normal, actual)) return EMPTY_COMPARISON
  const found = actual.map((rule, index) => reuseIfEqual(canonicalizeRule(rule, pair.family), normal[index]))
  if (haveSameItems(normal, found)) return EMPTY_COMPARISON
  const id = formatChainId(pair.expected.name, name)
  const alignOwn = pair.ownership.isExact ? inOrder : alignChain
  const align = pair.ownership.isShared?.(id) ? alignSharedChain : alignOwn
  const ownerOf = (rule: Rule) => owner || (pair.actualOwners().rules.get(rule) ?? '')
  return compareAligned(pair, {
    place: id,
    expected: normal.map((rule, index) => expectedRule(rule, owner || elementAt(owners, index), pair.family)),
    actual: found.map((rule, index) => ({ ...chainRule(rule, pair.family), dumped: elementAt(actual, index) })),
    align,
    ownerOf,
    resourceOf: (rules) => createChainResource(pair.expected.name, name, rules),
  })
}

/** Returns the expected rules unchanged, for chains that must have exactly the expected order. */
function inOrder(expected: readonly ExpectedRule[]): readonly ExpectedRule[] {
  return expected
}

/**
 * Compares the jumps of kube-proxy in a built-in chain: jumps to `expected` chains, and jumps to leftover kube-proxy
 * chains. The position of jumps to chains that kube-proxy shares with the kubelet is ignored, because the position
 * depends on which program inserted its jump first.
 */
export function compareJumps(pair: TablePair, chain: string, expected: ReadonlySet<string>): StateComparison {
  const { ownership, family } = pair
  const table = pair.expected.name
  const isOwned = (to: string) => expected.has(to) || ownership.isOwned(formatChainId(table, to))
  const jumpsIn = (jumps: readonly Rule[]) =>
    jumps.flatMap((rule) => {
      const to = rule.chain === chain ? jumpTargetOf(rule) : undefined
      return to !== undefined && isOwned(to)
        ? [{ to, dumped: rule, ...chainRule(canonicalizeRule(rule, family), family) }]
        : []
    })
  const groupOf = (to: string) => (ownership.isShared?.(formatChainId(table, to)) ? 'shared' : 'ours')
  return compareAligned(pair, {
    place: formatChainId(table, chain),
    expected: jumpsIn(pair.expected.jumps).map(({ to, rule, key, dumped: { appended } }) => ({
      ...{ rule: appended ? { ...rule, appended } : rule, key, owner: '' },
      group: groupOf(to),
    })),
    actual: jumpsIn(pair.actual.jumps),
    align: alignChain,
    ownerOf: () => '',
    resourceOf: (jumps) => createJumpsResource(table, chain, jumps)[0],
  })
}

/** The expected and actual rules of a chain. */
interface ChainSides {
  /** The id of the chain. */
  readonly place: string
  readonly expected: readonly ExpectedRule[]
  readonly actual: readonly ActualRule[]
  /** Returns the expected content of the chain, in the valid order that is nearest to the actual order. */
  readonly align: (expected: readonly ExpectedRule[], actual: readonly ChainRule[]) => readonly ExpectedRule[]
  /** Returns the owner of an unexpected rule, given the rule as dumped. */
  readonly ownerOf: (dumped: Rule) => string
  readonly resourceOf: (rules: readonly Rule[]) => Resource | undefined
}

function compareAligned(pair: TablePair, sides: ChainSides): StateComparison {
  const target = sides.align(sides.expected, sides.actual)
  const differences = compareRules(sides.actual, target, (target) => isOfOne(target, pair))
  if (differences.length === 0) return EMPTY_COMPARISON
  const resourceOf = (rules: readonly ChainRule[]) => sides.resourceOf(rules.map(({ rule }) => rule))
  return {
    ...EMPTY_COMPARISON,
    driftItems: differences.map((difference) =>
      createRuleDriftItem(pair, sides.place, difference, ({ dumped }) => sides.ownerOf(dumped)),
    ),
    pairs: [{ before: resourceOf(sides.actual), after: resourceOf(target) }],
  }
}

function haveSameItems(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => rule === b[index])
}

/** Creates a chain rule. The key is the printed form, which is unique for each normal form. */
function chainRule(rule: Rule, family: IpFamily): ChainRule {
  return { rule, key: printRule(rule, 'save', family) }
}

function expectedRule(rule: Rule, owner: string, family: IpFamily): ExpectedRule {
  const { key } = chainRule(rule, family)
  return { rule, key, owner, group: rejectsPackets(rule) && owner !== '' ? `${owner} ${key}` : owner }
}

/**
 * Reports whether a rule rejects or drops packets. The rejecting and dropping rules of one owner may be in any order,
 * because the result is the same.
 */
function rejectsPackets({ target }: Rule): boolean {
  return target?.kind === 'reject' || target?.kind === 'drop'
}

/**
 * Reports whether only one owner can have rules with this target. Two owners have no DNAT destination in common, and no
 * owner jumps to a chain of another owner.
 */
function isOfOne(target: Target, { ownedChains }: TablePair): boolean {
  return target.kind === 'dnat' || target.kind === 'redirect' || ownedChains().has(jumpTargetOf({ target }) ?? '')
}

/**
 * Reports whether two lists contain equal rules, like `sameValue` but faster. Runs for every rule of a large cluster.
 * Nearly all rules consist of a few kinds of matches and targets, and each kind has a fixed set of fields.
 */
export function areRulesEqual(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => sameRule(rule, elementAt(b, index)))
}

function sameRule(a: Rule, b: Rule): boolean {
  return a.chain === b.chain && sameTarget(a.target, b.target) && sameMatches(a.matches, b.matches)
}

function sameMatches(a: readonly Match[], b: readonly Match[]): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (!sameMatch(elementAt(a, at), elementAt(b, at))) return false
  return true
}

function sameMatch(a: Match, b: Match): boolean {
  switch (a.kind) {
    case 'source':
    case 'destination':
      return a.kind === b.kind && a.address === b.address && a.negated === b.negated
    case 'protocol':
      return a.kind === b.kind && a.protocol === b.protocol && a.negated === b.negated
    case 'transport':
      return a.kind === b.kind && a.protocol === b.protocol
    case 'destinationPort':
      return a.kind === b.kind && a.first === b.first && a.last === b.last && a.negated === b.negated
    case 'comment':
      return a.kind === b.kind && a.text === b.text
    case 'statistic':
      return a.kind === b.kind && a.probability === b.probability && a.negated === b.negated
    default:
      return isDeepEqual(a, b)
  }
}

function sameTarget(a: Target | undefined, b: Target | undefined): boolean {
  if (a?.kind === 'jump') return b?.kind === 'jump' && a.chain === b.chain
  if (a?.kind === 'dnat') return b?.kind === 'dnat' && a.destination === b.destination
  return isDeepEqual(a, b)
}
