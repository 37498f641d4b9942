import type { Block, Rule } from './ast.js'

const MAKERS = new WeakMap<object, () => readonly Rule[]>()

/**
 * A block whose rules are made when they are first asked for: nine of ten rules of a large cluster are those of endpoints,
 * there are hundreds of thousands, and whoever prints or compares needs them for one block at a time (`rulesIn`).
 */
export function lazyBlock({ owner, chains }: Pick<Block, 'owner' | 'chains'>, make: () => readonly Rule[]): Block {
  let made: readonly Rule[] | undefined
  const block = {
    owner,
    chains,
    get rules(): readonly Rule[] {
      made ??= make()
      return made
    },
  }
  MAKERS.set(block, () => made ?? make())
  return block
}

/** `block.rules`, but what a lazy block makes is not kept: for whoever goes through all the blocks of a cluster. */
export function rulesIn(block: Pick<Block, 'rules'>): readonly Rule[] {
  return MAKERS.get(block)?.() ?? block.rules
}
