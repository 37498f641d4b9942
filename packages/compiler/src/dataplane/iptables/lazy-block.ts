import { lazyFields, peekField, sourceOf } from '../../internal/memo.js'
import type { Block, Rule } from './ast.js'

/** How many rules there are in chains. */
export type ChainCounts = readonly { readonly chain: string; readonly count: number }[]

/** What is known of a block's rules before they are made. */
export interface KnownRules {
  readonly ruleCount: number
  /** Of the rules that it appends to chains that are not its own. */
  readonly sharedCounts: ChainCounts
}

/** Makes the rules of a block, whose chains these are, of what it was given for that. */
export type MakeRules<Source> = (source: Source, chains: readonly string[]) => readonly Rule[]

interface Maker extends KnownRules {
  readonly make: MakeRules<unknown>
  readonly source: unknown
  readonly chains: readonly string[]
}

function makeRules({ make, source, chains }: Maker): readonly Rule[] {
  return make(source, chains)
}

const withRules = lazyFields({ rules: makeRules })

/**
 * Returns a block whose rules are made when they are first asked for: nine of ten rules of a large cluster are those of endpoints,
 * there are hundreds of thousands, and whoever prints or compares needs them for one block at a time (`rulesIn`). Of `source`
 * they are made, by one function for all blocks: a function of its own takes more room than a block.
 */
export function lazyBlock<Source>(
  { owner, chains }: Pick<Block, 'owner' | 'chains'>,
  { ruleCount, sharedCounts }: KnownRules,
  source: Source,
  make: MakeRules<Source>,
): Block {
  return withRules(
    // An object that begins empty has room for a field that is defined later, which others put apart.
    Object.assign({}, { owner, chains }),
    { ruleCount, sharedCounts, make: make as MakeRules<unknown>, source, chains },
  )
}

/** Returns `block.rules`, but what a lazy block makes is not kept: for whoever goes through all the blocks of a cluster. */
export function rulesIn(block: Pick<Block, 'rules' | 'chains'>): readonly Rule[] {
  return peekField(block, makeRules) ?? block.rules
}

/** Returns `block.rules.length`, for which a lazy block makes nothing. */
export function ruleCount(block: Pick<Block, 'rules'>): number {
  return knownRules(block)?.ruleCount ?? block.rules.length
}

/** Returns what a lazy block knows of its rules; undefined for any other. */
export function knownRules(block: Pick<Block, 'rules'>): KnownRules | undefined {
  return sourceOf<Maker>(block)
}
