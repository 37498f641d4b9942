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

/** A rule that a node holds. */
interface LiveRule extends ChainRule {
  /** As the dump has it. */
  readonly dumped: Rule
}

/** Compares a chain that is not built in with what the node holds of it. */
export function compareChain(pair: TablePair, chain: WantedChain, live: readonly Rule[] | undefined): Comparison {
  const { name, owner, owners } = chain
  const normal = chain.rules.map((rule) => canonicalRule(rule, pair.family))
  if (live === undefined) return missingChain(pair, { name, owner, rules: normal })
  // What a kernel prints is mostly as wanted already, and then nothing is made of it.
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
 * Compares our jumps in a built-in chain: those to `wanted` chains, and those to chains of ours that are left over. Jumps to
 * chains that we share stand where whoever put them first did, which is no matter.
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

/** The rules of a chain on both sides. */
interface ChainSides {
  /** The id of the chain. */
  readonly place: string
  readonly wanted: readonly WantedRule[]
  readonly live: readonly LiveRule[]
  /** What the chain has to hold, in the order nearest to what it holds. */
  readonly align: (wanted: readonly WantedRule[], live: readonly ChainRule[]) => readonly WantedRule[]
  /** Whose a rule of the dump is that nobody wants. */
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

/** No two normal forms are printed alike. */
function chainRule(rule: Rule, family: IpFamily): ChainRule {
  return { rule, key: printRule(rule, 'save', family) }
}

function wantedRule(rule: Rule, owner: string, family: IpFamily): WantedRule {
  const { key } = chainRule(rule, family)
  return { rule, key, owner, group: isRefusal(rule) && owner !== '' ? `${owner} ${key}` : owner }
}

/** Refusals of one owner may stand in any order: whichever applies first, the packet is refused. */
function isRefusal({ verdict }: Rule): boolean {
  return verdict?.kind === 'reject' || verdict?.kind === 'drop'
}

/** No two owners send packets to one destination, and none leads to a chain of another. */
function isOfOne(verdict: Verdict, { ownedChains }: TablePair): boolean {
  return verdict.kind === 'dnat' || verdict.kind === 'redirect' || ownedChains().has(jumpDestination({ verdict }) ?? '')
}
