import type { RuleBlock, Table } from '../../dataplane/iptables/ast.js'
import { backingListOf, withLazyArray } from '../../internal/lazy-array.js'
import { type ListReplacement, replaceItems } from '../../internal/list-changes.js'
import { createLazyGetter } from '../../internal/memo.js'
import type { PreviousAssembly, ServiceContributions } from '../mode-lowering.js'

/** The two blocks (chains and rules) of a table that belong to no service port: the first and the last block. */
export interface StaticBlocks {
  readonly head: RuleBlock
  readonly tail: RuleBlock
}

/** Returns the static blocks of an assembled table; undefined if the table was not assembled. */
export function staticBlocksOf(table: Table): StaticBlocks | undefined {
  const blocks = backingListOf(table, 'blocks')
  const [head, tail] = [blocks[0], blocks[blocks.length - 1]]
  return head && tail && { head, tail }
}

/** A function that returns the block of a contribution in one table; undefined if the contribution has no block there. */
export type BlockGetter<Part> = (part: Part) => RuleBlock | undefined

/** The table that was assembled for the earlier state, with the contributions of that state and their replacements. */
export interface PreviousTable<Part> extends Pick<PreviousAssembly<Part>, 'parts' | 'replacements'> {
  readonly table: Table | undefined
}

/** Returns a table of the earlier state. */
export function previousTableOf<Part>(
  earlier: PreviousAssembly<Part> | undefined,
  name: Table['name'],
): PreviousTable<Part> | undefined {
  return earlier && { ...earlier, table: earlier.state.iptables?.tables.find((table) => table.name === name) }
}

/**
 * Builds one table: the first static block, the blocks of the contributions, and the last static block. If there is an
 * earlier table, the cost is proportional to the changes.
 */
export function assembleTable<Part>(
  { name, jumps }: Pick<Table, 'name' | 'jumps'>,
  staticBlocks: StaticBlocks,
  { list }: ServiceContributions<Part>,
  blockOf: BlockGetter<Part>,
  earlier: PreviousTable<Part> | undefined,
): Table {
  const before = earlier?.table
  if (earlier === undefined || before === undefined) {
    const all = () => [staticBlocks.head, ...blocksOf(list(), blockOf), staticBlocks.tail]
    return withLazyArray({ name, jumps }, 'blocks', createLazyGetter(all))
  }
  const blocks = backingListOf(before, 'blocks')
  const last = blocks.length - 1
  const replacements = [
    ...staticReplacement(blocks, 0, staticBlocks.head),
    ...blockReplacements(blockOf, earlier),
    ...staticReplacement(blocks, last, staticBlocks.tail),
  ]
  if (replacements.length === 0) return before
  return withLazyArray(
    { name, jumps },
    'blocks',
    createLazyGetter(() => replaceItems(blocks, replacements)),
  )
}

function staticReplacement(
  blocks: readonly RuleBlock[],
  at: number,
  block: RuleBlock,
): readonly ListReplacement<RuleBlock>[] {
  return blocks[at] === block ? [] : [{ at, removed: 1, added: [block] }]
}

function blocksOf<Part>(parts: readonly Part[], blockOf: BlockGetter<Part>): readonly RuleBlock[] {
  const blocks: RuleBlock[] = []
  for (const part of parts) {
    const block = blockOf(part)
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

/** Converts replacements of contributions to replacements of blocks. A contribution may have no block in the table. */
function blockReplacements<Part>(
  blockOf: BlockGetter<Part>,
  { parts, replacements }: PreviousTable<Part>,
): readonly ListReplacement<RuleBlock>[] {
  /** The number of parts before the current replacement, and the place of the block after theirs. */
  let [passed, place] = [0, 1]
  const placeOf = (at: number) => {
    for (; passed < at; passed++) if (blockOf(parts[passed] as Part) !== undefined) place++
    return place
  }
  return replacements.flatMap(({ at, removed, added }) => {
    const gone = blocksOf(parts.slice(at, at + removed), blockOf).length
    const come = blocksOf(added, blockOf)
    return gone + come.length === 0 ? [] : [{ at: placeOf(at), removed: gone, added: come }]
  })
}
