import type { Block, Rule } from './ast.js'
import { type ChainCounts, getBlockRules, precomputedCountsOf } from './lazy-block.js'

/** Rules by chain. */
export type RulesByChain = ReadonlyMap<string, readonly Rule[]>

/** The rules of a block, split into rules in chains of the block and rules in shared chains. */
export interface BlockRules {
  /**
   * The rules in chains of the block, by chain name. Chains without rules are included. Empty for a block without
   * owner: any block may write to its chains, so they count as shared.
   */
  readonly own: RulesByChain
  readonly shared: RulesByChain
}

export function splitBlockRules(block: Block | undefined): BlockRules {
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
export function countSharedRules(block: Block): ChainCounts {
  return (
    precomputedCountsOf(block)?.sharedCounts ??
    countRulesByChain(Array.from(splitBlockRules(block).shared.values()).flat())
  )
}

/** Counts the rules of each chain. */
export function countRulesByChain(rules: readonly Rule[]): ChainCounts {
  const counts = new Map<string, number>()
  for (const { chain } of rules) counts.set(chain, (counts.get(chain) ?? 0) + 1)
  return Array.from(counts, ([chain, count]) => ({ chain, count }))
}
