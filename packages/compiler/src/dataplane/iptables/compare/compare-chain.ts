import type { IpFamily } from '@kube-rules/types'
import { kept, type Resource } from '../../../patch/resource.js'
import { type Comparison, NOTHING_FOUND } from '../../comparison.js'
import type { Rule, Verdict } from '../ast.js'
import { canonicalRule } from '../canonical.js'
import { jumpDestination } from '../chains.js'
import { printRule } from '../print/print.js'
import { chainId, chainResource, jumpsResource } from '../resources.js'
import { alignChain, alignShared, type ChainRule, type WantedRule } from './align-chain.js'
import { compareRules } from './compare-rules.js'
import { missingChain, ruleFinding } from './findings.js'
import { sameRules } from './same-rules.js'
import type { TablePair, WantedChain } from './table-pair.js'

/** An actual rule of a node. */
interface LiveRule extends ChainRule {
  /** The rule as dumped. */
  readonly dumped: Rule
}

/** Compares a custom chain with the actual one. */
export function compareChain(pair: TablePair, chain: WantedChain, live: readonly Rule[] | undefined): Comparison {
  const { name, owner, owners } = chain
  const normal = chain.rules.map((rule) => canonicalRule(rule, pair.family))
  if (live === undefined) return missingChain(pair, { name, owner, rules: normal })
  // Fast path: kernel output is mostly identical to the expected rules, and then no normal form is needed.
  if (sameRules(normal, live)) return NOTHING_FOUND
  const found = live.map((rule, index) => kept(canonicalRule(rule, pair.family), normal[index]))
  if (isSameList(normal, found)) return NOTHING_FOUND
  const id = chainId(pair.wanted.name, name)
  const alignOwn = pair.custody.isExact ? inOrder : alignChain
  const align = pair.custody.isShared?.(id) ? alignShared : alignOwn
  const ownerOf = (rule: Rule) => owner || (pair.liveOwners().rules.get(rule) ?? '')
  return compareAligned(pair, {
    place: id,
    wanted: normal.map((rule, index) => wantedRule(rule, owner || (owners[index] as string), pair.family)),
    live: found.map((rule, index) => ({ ...chainRule(rule, pair.family), dumped: live[index] as Rule })),
    align,
    ownerOf,
    resourceOf: (rules) => chainResource(pair.wanted.name, name, rules),
  })
}

/** What is wanted, whatever order there is. */
function inOrder(wanted: readonly WantedRule[]): readonly WantedRule[] {
  return wanted
}

/**
 * Compares our jumps in a built-in chain: jumps to `wanted` chains, and jumps to leftover chains of ours. The position
 * of jumps to chains that we share with the kubelet is ignored, because it depends on the program that inserted them
 * first.
 */
export function compareJumps(pair: TablePair, chain: string, wanted: ReadonlySet<string>): Comparison {
  const { custody, family } = pair
  const table = pair.wanted.name
  const isOurs = (to: string) => wanted.has(to) || custody.isOurs(chainId(table, to))
  const jumpsIn = (jumps: readonly Rule[]) =>
    jumps.flatMap((rule) => {
      const to = rule.chain === chain ? jumpDestination(rule) : undefined
      return to !== undefined && isOurs(to)
        ? [{ to, dumped: rule, ...chainRule(canonicalRule(rule, family), family) }]
        : []
    })
  const groupOf = (to: string) => (custody.isShared?.(chainId(table, to)) ? 'shared' : 'ours')
  return compareAligned(pair, {
    place: chainId(table, chain),
    wanted: jumpsIn(pair.wanted.jumps).map(({ to, rule, key, dumped: { appended } }) => ({
      ...{ rule: appended ? { ...rule, appended } : rule, key, owner: '' },
      group: groupOf(to),
    })),
    live: jumpsIn(pair.live.jumps),
    align: alignChain,
    ownerOf: () => '',
    resourceOf: (jumps) => jumpsResource(table, chain, jumps)[0],
  })
}

/** The expected and actual rules of a chain. */
interface ChainSides {
  /** The id of the chain. */
  readonly place: string
  readonly wanted: readonly WantedRule[]
  readonly live: readonly LiveRule[]
  /** Returns the expected content of the chain in the order nearest to the actual one. */
  readonly align: (wanted: readonly WantedRule[], live: readonly ChainRule[]) => readonly WantedRule[]
  /** Returns the owner of an unexpected rule in the dump. */
  readonly ownerOf: (dumped: Rule) => string
  readonly resourceOf: (rules: readonly Rule[]) => Resource | undefined
}

function compareAligned(pair: TablePair, sides: ChainSides): Comparison {
  const target = sides.align(sides.wanted, sides.live)
  const differences = compareRules(sides.live, target, (verdict) => isOfOne(verdict, pair))
  if (differences.length === 0) return NOTHING_FOUND
  const resourceOf = (rules: readonly ChainRule[]) => sides.resourceOf(rules.map(({ rule }) => rule))
  return {
    ...NOTHING_FOUND,
    findings: differences.map((difference) =>
      ruleFinding(pair, sides.place, difference, ({ dumped }) => sides.ownerOf(dumped)),
    ),
    pairs: [{ before: resourceOf(sides.live), after: resourceOf(target) }],
  }
}

function isSameList(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => rule === b[index])
}

/** The printed text is a unique key of a normal form. */
function chainRule(rule: Rule, family: IpFamily): ChainRule {
  return { rule, key: printRule(rule, 'save', family) }
}

function wantedRule(rule: Rule, owner: string, family: IpFamily): WantedRule {
  const { key } = chainRule(rule, family)
  return { rule, key, owner, group: isRefusal(rule) && owner !== '' ? `${owner} ${key}` : owner }
}

/**
 * Reports whether a rule rejects or drops. Such rules of one owner may be in any order, because the result is the same.
 */
function isRefusal({ verdict }: Rule): boolean {
  return verdict?.kind === 'reject' || verdict?.kind === 'drop'
}

/**
 * Reports whether only one owner can have rules with this target. No two owners share a DNAT destination, and none
 * jumps to a chain of another.
 */
function isOfOne(verdict: Verdict, { ownedChains }: TablePair): boolean {
  return verdict.kind === 'dnat' || verdict.kind === 'redirect' || ownedChains().has(jumpDestination({ verdict }) ?? '')
}
