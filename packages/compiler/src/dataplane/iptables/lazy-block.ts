import type { Block, Rule } from './ast.js'

/** What is known of a lazy block beside what it shows. */
interface Maker {
  readonly ruleCount: number
  make(): readonly Rule[]
}

const MAKERS = new WeakMap<object, Maker>()

/**
 * A block whose rules are made when they are first asked for: nine of ten rules of a large cluster are those of endpoints,
 * there are hundreds of thousands, and whoever prints or compares needs them for one block at a time (`rulesIn`). How
 * many `make` makes is known before.
 */
export function lazyBlock(
  { owner, chains, ruleCount }: Pick<Block, 'owner' | 'chains'> & Pick<Maker, 'ruleCount'>,
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
  MAKERS.set(block, { ruleCount, make: () => made ?? make() })
  return block
}

/** `block.rules`, but what a lazy block makes is not kept: for whoever goes through all the blocks of a cluster. */
export function rulesIn(block: Pick<Block, 'rules'>): readonly Rule[] {
  return MAKERS.get(block)?.make() ?? block.rules
}

/** `block.rules.length`, for which a lazy block makes nothing. */
export function ruleCount(block: Pick<Block, 'rules'>): number {
  return MAKERS.get(block)?.ruleCount ?? block.rules.length
}
