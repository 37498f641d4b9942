import type { Block, Rule } from './ast.js'

/** How many rules there are in chains. */
export type ChainCounts = readonly { readonly chain: string; readonly count: number }[]

/** What is known of a block's rules before they are made. */
export interface KnownRules {
  readonly ruleCount: number
  /** Of the rules that it appends to chains that are not its own. */
  readonly sharedCounts: ChainCounts
}

interface Maker extends KnownRules {
  make(): readonly Rule[]
}

/** Where a lazy block has its maker, which is no part of the data. */
const MAKER: unique symbol = Symbol('maker')

type MayHaveMaker = Pick<Block, 'rules'> & { readonly [MAKER]?: Maker }

/**
 * A block whose rules are made when they are first asked for: nine of ten rules of a large cluster are those of endpoints,
 * there are hundreds of thousands, and whoever prints or compares needs them for one block at a time (`rulesIn`).
 */
export function lazyBlock(
  { owner, chains }: Pick<Block, 'owner' | 'chains'>,
  { ruleCount, sharedCounts }: KnownRules,
  make: () => readonly Rule[],
): Block {
  let made: readonly Rule[] | undefined
  const block = {
    owner,
    chains,
    get rules(): readonly Rule[] {
      made ??= make()
      return made
    },
  }
  const maker: Maker = { ruleCount, sharedCounts, make: () => made ?? make() }
  return Object.defineProperty(block, MAKER, { value: maker })
}

/** `block.rules`, but what a lazy block makes is not kept: for whoever goes through all the blocks of a cluster. */
export function rulesIn(block: Pick<Block, 'rules'>): readonly Rule[] {
  return (block as MayHaveMaker)[MAKER]?.make() ?? block.rules
}

/** `block.rules.length`, for which a lazy block makes nothing. */
export function ruleCount(block: Pick<Block, 'rules'>): number {
  return knownRules(block)?.ruleCount ?? block.rules.length
}

/** What a lazy block knows of its rules; undefined for any other. */
export function knownRules(block: Pick<Block, 'rules'>): KnownRules | undefined {
  return (block as MayHaveMaker)[MAKER]
}
