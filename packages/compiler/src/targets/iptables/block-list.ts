import type { Block } from '../../dataplane/iptables/ast.js'
import { kept } from '../../diff/resource.js'
import { type Replacement, replaceItems } from '../../internal/sorted-list.js'
import type { Earlier } from '../mode.js'
import type { ServiceBlocks } from './service-blocks.js'

/** The blocks of a table that are of no service port: the first and the last. */
export interface FixedBlocks {
  readonly head: Block
  readonly tail: Block
}

type TableOfServices = keyof ServiceBlocks

/** The blocks of one table, at the cost of what changed since an earlier state where that is known. */
export function blocksOf(
  table: TableOfServices,
  { head, tail }: FixedBlocks,
  services: readonly ServiceBlocks[],
  earlier: Earlier<ServiceBlocks> | undefined,
): readonly Block[] {
  const before = earlier?.state.iptables?.tables.find(({ name }) => name === table)?.blocks
  const fixed = { head: kept(head, before?.[0]), tail: kept(tail, before?.at(-1)) }
  const replacements = before && earlier?.changes && blockReplacements(table, before, earlier.changes)
  return replacements === undefined
    ? [fixed.head, ...serviceBlocksOf(table, services), fixed.tail]
    : withFixed(replaceItems(before as readonly Block[], replacements), fixed)
}

function serviceBlocksOf(table: TableOfServices, services: readonly ServiceBlocks[]): readonly Block[] {
  const blocks: Block[] = []
  for (const service of services) {
    const block = service[table]
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

/** Undefined where the places of blocks do not follow from those of the parts: some parts have none in this table. */
function blockReplacements(
  table: TableOfServices,
  before: readonly Block[],
  { parts, replacements }: NonNullable<Earlier<ServiceBlocks>['changes']>,
): readonly Replacement<Block>[] | undefined {
  const removed = replacements.flatMap(({ at, removed: count }) => parts.slice(at, at + count))
  const added = replacements.flatMap((replacement) => replacement.added)
  if ([...removed, ...added].every((part) => part[table] === undefined)) return []
  // Every part has a block, and the head stands before them.
  if (before.length !== parts.length + 2 || added.some((part) => part[table] === undefined)) return undefined
  return replacements.map((replacement) => ({
    at: replacement.at + 1,
    removed: replacement.removed,
    added: serviceBlocksOf(table, replacement.added),
  }))
}

function withFixed(blocks: readonly Block[], { head, tail }: FixedBlocks): readonly Block[] {
  if (blocks[0] === head && blocks.at(-1) === tail) return blocks
  return [head, ...blocks.slice(1, -1), tail]
}
