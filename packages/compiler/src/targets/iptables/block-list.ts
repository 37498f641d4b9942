import type { Block, Table } from '../../dataplane/iptables/ast.js'
import { type Replacement, replaceItems } from '../../internal/sorted-list.js'
import type { Earlier } from '../mode.js'
import type { ServiceBlocks } from './service-blocks.js'

/** The blocks of a table that are of no service port: the first and the last. */
export interface FixedBlocks {
  readonly head: Block
  readonly tail: Block
}

/** Those of a table that has been put together. */
export function fixedBlocksOf({ blocks }: Table): FixedBlocks | undefined {
  const [head, tail] = [blocks[0], blocks.at(-1)]
  return head && tail && { head, tail }
}

type TableOfServices = keyof ServiceBlocks

/** The blocks of one table. With an earlier state they cost what has changed since. */
export function blocksOf(
  table: TableOfServices,
  fixed: FixedBlocks,
  services: readonly ServiceBlocks[],
  earlier: Earlier<ServiceBlocks> | undefined,
): readonly Block[] {
  const before = earlier?.state.iptables?.tables.find(({ name }) => name === table)?.blocks
  if (earlier === undefined || before === undefined)
    return [fixed.head, ...serviceBlocksOf(table, services), fixed.tail]
  const blocks = replaceItems(before, blockReplacements(table, before, earlier))
  return withFixed(blocks, fixed)
}

function serviceBlocksOf(table: TableOfServices, services: readonly ServiceBlocks[]): readonly Block[] {
  const blocks: Block[] = []
  for (const service of services) {
    const block = service[table]
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

/** What takes the place of blocks where others take the place of parts. A part may have no block in the table. */
function blockReplacements(
  table: TableOfServices,
  before: readonly Block[],
  { parts, replacements }: Earlier<ServiceBlocks>,
): readonly Replacement<Block>[] {
  const hasBlock = (part: ServiceBlocks) => part[table] !== undefined
  const everyPartHas = before.length === parts.length + FIXED
  let [from, place] = [0, 1]
  const placeOf = (at: number): number => {
    if (everyPartHas) return at + 1
    for (; from < at; from++) if (hasBlock(parts[from] as ServiceBlocks)) place++
    return place
  }
  return replacements.flatMap(({ at, removed, added }) => {
    const gone = parts.slice(at, at + removed).filter(hasBlock).length
    const come = serviceBlocksOf(table, added)
    return gone + come.length === 0 ? [] : [{ at: placeOf(at), removed: gone, added: come }]
  })
}

/** How many blocks are of no service port. */
const FIXED = 2

function withFixed(blocks: readonly Block[], { head, tail }: FixedBlocks): readonly Block[] {
  if (blocks[0] === head && blocks.at(-1) === tail) return blocks
  return [head, ...blocks.slice(1, -1), tail]
}
