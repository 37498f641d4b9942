import type { IpFamily } from '@kube-rules/types'
import { haveSameItems } from '../../../internal/have-same-items.js'
import { elementAt } from '../../../internal/known-items.js'
import { reuseIfEqual } from '../../../internal/plain-data.js'
import type { Resource } from '../../../patch/resource.js'
import { EMPTY_COMPARISON, type StateComparison } from '../../comparison.js'
import type { Rule, Target } from '../ast.js'
import { canonicalizeRule } from '../canonical.js'
import { jumpTargetOf } from '../chains.js'
import { printRule } from '../print/print.js'
import { createChainResource, createJumpsResource, formatChainId } from '../resources.js'
import { alignChain, alignSharedChain, type ChainRule, type ExpectedRule } from './align-chain.js'
import { compareRules } from './compare-rules.js'
import { createRuleDriftItem, reportMissingChain } from './drift-items.js'
import { areRulesEqual } from './equal-rules.js'
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
  const alignOwn = pair.ownership.isExact ? keepExpectedOrder : alignChain
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
function keepExpectedOrder(expected: readonly ExpectedRule[]): readonly ExpectedRule[] {
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
