import type { Rule, RuleBlock } from './ast.js'
import { getBlockRules, precomputedCountsOf, type RuleCountsByChain } from './lazy-block.js'

/** Rules by chain. */
export type RulesByChain = ReadonlyMap<string, readonly Rule[]>

/** The rules of a block, split into rules in chains of the block and rules in shared chains. */
export interface BlockRules {
  /**
   * The rules in chains of the block, by chain name. Chains without rules are included. Empty for a block without
   * owner: the chains of such a block count as shared, because any block may add rules to them.
   */
  readonly own: RulesByChain
  readonly shared: RulesByChain
}

export function splitBlockRules(block: RuleBlock | undefined): BlockRules {
  const own = new Map<string, Rule[]>()
  const shared = new Map<string, Rule[]>()
  if (block === undefined) return { own, shared }
  if (block.owner !== '') for (const chain of block.chains) own.set(chain, [])
  for (const rule of getBlockRules(block)) {
    const rules = own.get(rule.chain) ?? shared.get(rule.chain)
    if (rules === undefined) shared.set(rule.chain, [rule])
    else rules.push(rule)
  }
  return { own, shared }
}

/** Counts the rules that a block appends to each shared chain. */
export function countSharedRules(block: RuleBlock): RuleCountsByChain {
  return (
    precomputedCountsOf(block)?.sharedCounts ??
    countRulesByChain(Array.from(splitBlockRules(block).shared.values()).flat())
  )
}

/** Counts the rules of each chain. */
export function countRulesByChain(rules: readonly Rule[]): RuleCountsByChain {
  const counts = new Map<string, number>()
  for (const { chain } of rules) counts.set(chain, (counts.get(chain) ?? 0) + 1)
  return Array.from(counts, ([chain, count]) => ({ chain, count }))
}
