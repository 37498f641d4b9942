import { classifySource, computeUncached, lazyFields } from '../../internal/memo.js'
import type { Block, Rule } from './ast.js'

/** The number of rules per chain. */
export type ChainCounts = readonly { readonly chain: string; readonly count: number }[]

/** Facts about the rules of a block that are known before the rules are created. */
export interface PrecomputedFacts {
  readonly ruleCount: number
  /** Counts of the rules that it appends to shared chains. */
  readonly sharedCounts: ChainCounts
}

/** Creates the rules of a block with these chains from a source. */
export type CreateRules<Source> = (source: Source, chains: readonly string[]) => readonly Rule[]

interface Maker extends PrecomputedFacts {
  readonly make: CreateRules<unknown>
  readonly source: unknown
  readonly chains: readonly string[]
}

function makeRules({ make, source, chains }: Maker): readonly Rule[] {
  return make(source, chains)
}

const withRules = lazyFields({ rules: makeRules })

/**
 * Returns a block whose rules are made when they are first asked for: nine of ten rules of a large cluster are those of endpoints,
 * there are hundreds of thousands, and whoever prints or compares needs them for one block at a time (`blockRules`). Of `source`
 * they are made, by one function for all blocks: a function of its own takes more room than a block.
 */
export function lazyBlock<Source>(
  { owner, chains }: Pick<Block, 'owner' | 'chains'>,
  { ruleCount, sharedCounts }: PrecomputedFacts,
  source: Source,
  make: CreateRules<Source>,
): Block {
  return withRules(
    // An object that starts empty has room for a field that is defined later. Any other object stores it separately.
    Object.assign({}, { owner, chains }),
    { ruleCount, sharedCounts, make: make as CreateRules<unknown>, source, chains },
  )
}

/** Returns `block.rules`, but what a lazy block makes is not kept: for whoever goes through all the blocks of a cluster. */
export function blockRules(block: Pick<Block, 'rules' | 'chains'>): readonly Rule[] {
  return computeUncached(block, makeRules) ?? block.rules
}

/** Returns `block.rules.length`, for which a lazy block makes nothing. */
export function ruleCount(block: Pick<Block, 'rules'>): number {
  return precomputedFacts(block)?.ruleCount ?? block.rules.length
}

/** Returns what a lazy block knows of its rules; undefined for any other. */
export function precomputedFacts(block: Pick<Block, 'rules'>): PrecomputedFacts | undefined {
  return classifySource<Maker>(block)
}
