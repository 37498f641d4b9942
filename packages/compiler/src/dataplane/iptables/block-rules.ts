import type { Block, Rule } from './ast.js'
import { type ChainCounts, knownRules, rulesIn } from './lazy-block.js'

/** Rules by the chain they stand in. */
export type RulesByChain = ReadonlyMap<string, readonly Rule[]>

/** The rules of a block: those of its own chains, and those it appends to chains of others. */
export interface BlockRules {
  /** Also chains without rules. Empty for a block without owner, whose chains anyone may write to. */
  readonly own: RulesByChain
  readonly shared: RulesByChain
}

export function blockRules(block: Block | undefined): BlockRules {
  const own = new Map<string, Rule[]>()
  const shared = new Map<string, Rule[]>()
  if (block === undefined) return { own, shared }
  if (block.owner !== '') for (const chain of block.chains) own.set(chain, [])
  for (const rule of rulesIn(block)) {
    const rules = own.get(rule.chain) ?? shared.get(rule.chain)
    if (rules === undefined) shared.set(rule.chain, [rule])
    else rules.push(rule)
  }
  return { own, shared }
}

/** How many rules a block appends to each chain that is not its own. */
export function sharedCounts(block: Block): ChainCounts {
  return knownRules(block)?.sharedCounts ?? ruleCounts(Array.from(blockRules(block).shared.values()).flat())
}

/** How many rules stand in each chain. */
export function ruleCounts(rules: readonly Rule[]): ChainCounts {
  const counts = new Map<string, number>()
  for (const { chain } of rules) counts.set(chain, (counts.get(chain) ?? 0) + 1)
  return Array.from(counts, ([chain, count]) => ({ chain, count }))
}
