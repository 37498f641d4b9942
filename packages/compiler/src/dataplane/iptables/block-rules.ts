import type { Block, Rule } from './ast.js'
import { rulesIn } from './lazy-block.js'

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

type Counts = readonly { readonly chain: string; readonly count: number }[]

const countsOfBlocks = new WeakMap<Block, Counts>()

/** How many rules a block appends to each chain that is not its own. Kept as long as the block. */
export function sharedCounts(block: Block): Counts {
  const known = countsOfBlocks.get(block)
  if (known !== undefined) return known
  const counts = Array.from(blockRules(block).shared, ([chain, rules]) => ({ chain, count: rules.length }))
  countsOfBlocks.set(block, counts)
  return counts
}
