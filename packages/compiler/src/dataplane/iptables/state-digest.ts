import type { IpFamily } from '@kube-rules/types'
import { combineDigests, NO_DIGEST } from '../../diff/digest.js'
import { hash16 } from '../../internal/hash.js'
import type { BlockPair } from './align-blocks.js'
import type { Block, IptablesState, Rule, Table } from './ast.js'
import { printRuleLines } from './print.js'

const digestsOfBlocks = new WeakMap<Block, string>()
const digestsOfJumps = new WeakMap<readonly Rule[], string>()
/** Of all blocks with an owner together. */
const digestsOfOwners = new WeakMap<Table, string>()

/**
 * A digest of what a state asks for, 16 base32 characters; policies of built-in chains do not count. Each part of it is
 * looked at once: the digest of a state whose blocks are known costs next to nothing.
 */
export function digestOfState(state: IptablesState | undefined): string {
  if (state === undefined) return NO_DIGEST
  return hash16([state.family, ...state.tables.map((table) => digestOfTable(table, state.family))].join('\n'))
}

/** Makes the digest of the table after from that of the table before and the blocks in which they differ. */
export function carryDigest(before: Table, after: Table, pairs: readonly BlockPair[], family: IpFamily): void {
  const removed = ownedOf(pairs.map((pair) => pair.before))
  const added = ownedOf(pairs.map((pair) => pair.after))
  const digests = (blocks: readonly Block[]) => blocks.map((block) => digestOfBlock(block, family))
  digestsOfOwners.set(after, combineDigests(digestOfOwners(before, family), digests(added), digests(removed)))
}

function digestOfTable(table: Table, family: IpFamily): string {
  const fixed = table.blocks.filter(({ owner }) => owner === '').map((block) => digestOfBlock(block, family))
  return [table.name, digestOfJumps(table.jumps, family), ...fixed, digestOfOwners(table, family)].join(' ')
}

function digestOfOwners(table: Table, family: IpFamily): string {
  return remembered(digestsOfOwners, table, () => {
    const digests = ownedOf(table.blocks).map((block) => digestOfBlock(block, family))
    return combineDigests(NO_DIGEST, digests, [])
  })
}

function ownedOf(blocks: readonly (Block | undefined)[]): readonly Block[] {
  return blocks.flatMap((block) => (block === undefined || block.owner === '' ? [] : [block]))
}

function digestOfBlock(block: Block, family: IpFamily): string {
  return remembered(digestsOfBlocks, block, () =>
    hash16(`${block.owner}\n${block.chains.join(' ')}\n${printRuleLines(block.rules, 'restore', family)}`),
  )
}

function digestOfJumps(jumps: readonly Rule[], family: IpFamily): string {
  return remembered(digestsOfJumps, jumps, () => hash16(printRuleLines(jumps, 'restore', family)))
}

function remembered<Key extends object>(known: WeakMap<Key, string>, key: Key, compute: () => string): string {
  const digest = known.get(key) ?? compute()
  known.set(key, digest)
  return digest
}
