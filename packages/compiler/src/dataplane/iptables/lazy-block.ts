import { createLazyFieldAdder, lazySourceOf } from '../../internal/memo.js'
import type { Rule, RuleBlock } from './ast.js'

/** The number of rules per chain. */
export type RuleCountsByChain = readonly { readonly chain: string; readonly count: number }[]

/** Facts about the rules of a block that are known before the rules are created. */
export interface PrecomputedCounts {
  readonly ruleCount: number
  /** The number of rules that the block appends to each shared chain. */
  readonly sharedCounts: RuleCountsByChain
}

/** Creates the rules of a block from a source. `chains` are the chains of the block. */
export type RulesFactory<Source> = (source: Source, chains: readonly string[]) => readonly Rule[]

interface Maker extends PrecomputedCounts {
  readonly createRules: RulesFactory<unknown>
  readonly source: unknown
  readonly chains: readonly string[]
}

function makeRules({ createRules, source, chains }: Maker): readonly Rule[] {
  return createRules(source, chains)
}

const withRules = createLazyFieldAdder({ rules: makeRules })

/**
 * Returns a block that creates its rules on first use. In a large cluster, 90 % of the rules belong to hundreds of
 * thousands of endpoints. Printing and comparing need the rules of only one block at a time (`getBlockRules`). One
 * function creates the rules of all blocks from `source`, because a closure per block would take more memory than the
 * block.
 */
export function createLazyBlock<Source>(
  { owner, chains }: Pick<RuleBlock, 'owner' | 'chains'>,
  { ruleCount, sharedCounts }: PrecomputedCounts,
  source: Source,
  make: RulesFactory<Source>,
): RuleBlock {
  return withRules(
    // Starts with an empty object, because V8 reserves room in such an object for a field that is defined later. In any
    // other object, V8 would store this field separately.
    Object.assign({}, { owner, chains }),
    { ruleCount, sharedCounts, createRules: make as RulesFactory<unknown>, source, chains },
  )
}

/**
 * Returns `block.rules`, but does not retain the rules of a lazy block. Use this function in loops over all blocks of a
 * cluster.
 */
export function getBlockRules(block: Pick<RuleBlock, 'rules' | 'chains'>): readonly Rule[] {
  const maker = lazySourceOf<Maker>(block)
  return maker ? makeRules(maker) : block.rules
}

/** Returns `block.rules.length` without creating the rules of a lazy block. */
export function countBlockRules(block: Pick<RuleBlock, 'rules'>): number {
  return precomputedCountsOf(block)?.ruleCount ?? block.rules.length
}

/** Returns the precomputed counts of a lazy block. Returns undefined for any other block. */
export function precomputedCountsOf(block: Pick<RuleBlock, 'rules'>): PrecomputedCounts | undefined {
  return lazySourceOf<Maker>(block)
}
