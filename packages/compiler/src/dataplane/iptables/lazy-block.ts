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
  made: readonly Rule[] | undefined
  /** What `findingOfBlock` has found, by who looked. */
  found: Map<FindInBlock, unknown> | undefined
}

type FindInBlock = (block: never) => unknown

/** Where a lazy block has its maker, which is no part of the data. */
const MAKER: unique symbol = Symbol('maker')

interface LazyBlock extends Pick<Block, 'chains'> {
  readonly [MAKER]: Maker
}

/** One function for all blocks: an object with a getter of its own takes several times as much room. */
const RULES: PropertyDescriptor = {
  enumerable: true,
  get(this: LazyBlock): readonly Rule[] {
    const maker = this[MAKER]
    maker.made ??= maker.make(maker.source, this.chains)
    return maker.made
  },
}

/**
 * A block whose rules are made when they are first asked for: nine of ten rules of a large cluster are those of endpoints,
 * there are hundreds of thousands, and whoever prints or compares needs them for one block at a time (`rulesIn`). Of `source`
 * they are made, by one function for all blocks: a function of its own takes more room than a block.
 */
export function lazyBlock<Source>(
  { owner, chains }: Pick<Block, 'owner' | 'chains'>,
  { ruleCount, sharedCounts }: KnownRules,
  source: Source,
  make: MakeRules<Source>,
): Block {
  const maker: Maker = {
    ruleCount,
    sharedCounts,
    make: make as MakeRules<unknown>,
    source,
    made: undefined,
    found: undefined,
  }
  // An object that begins empty has room for a field that is defined later, which others put apart.
  const block = Object.defineProperty(Object.assign({}, { owner, chains }), MAKER, { value: maker })
  return Object.defineProperty(block, 'rules', RULES) as typeof block & Pick<Block, 'rules'>
}

function makerOf(block: Pick<Block, 'rules'> & Partial<LazyBlock>): Maker | undefined {
  return block[MAKER]
}

/** `block.rules`, but what a lazy block makes is not kept: for whoever goes through all the blocks of a cluster. */
export function rulesIn(block: Pick<Block, 'rules' | 'chains'>): readonly Rule[] {
  const maker = makerOf(block)
  return maker === undefined ? block.rules : (maker.made ?? maker.make(maker.source, block.chains))
}

/**
 * What `find` finds out of a block: of a lazy one once, so that its rules are not made for that again; of others each time. It must
 * be the same function each time, and depend on nothing else.
 */
export function findingOfBlock<Found>(block: Block & Partial<LazyBlock>, find: (block: Block) => Found): Found {
  const maker = makerOf(block)
  if (maker === undefined) return find(block)
  const known = maker.found?.get(find)
  if (known !== undefined) return known as Found
  const found = find(block)
  maker.found ??= new Map()
  maker.found.set(find, found)
  return found
}

/** `block.rules.length`, for which a lazy block makes nothing. */
export function ruleCount(block: Pick<Block, 'rules'>): number {
  return makerOf(block)?.ruleCount ?? block.rules.length
}

/** What a lazy block knows of its rules; undefined for any other. */
export function knownRules(block: Pick<Block, 'rules'>): KnownRules | undefined {
  return makerOf(block)
}
