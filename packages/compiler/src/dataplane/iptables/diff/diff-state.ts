import type { IpFamily } from '@kube-rules/types'
import { hash16 } from '../../../internal/hash.js'
import { diffPairs, pairResources } from '../../../patch/diff-resources.js'
import { combineDigests, EMPTY_STATE_DIGEST } from '../../../patch/digest.js'
import { orderChanges } from '../../../patch/order.js'
import { type Change, createPatch, type Patch } from '../../../patch/patch.js'
import { indexResourcesById, type Resources } from '../../../patch/resource.js'
import type { IptablesState, Rule, RuleBlock, Table, TableName } from '../ast.js'
import { getBlockRules } from '../lazy-block.js'
import { printRuleLines } from '../print/print.js'
import { listTableResources } from '../resources.js'
import type { BlockPair } from './align-blocks.js'
import { diffTable } from './diff-table.js'

/**
 * Returns the patch from one state to another state of the same family. Undefined represents a state without kube-proxy
 * chains and jumps: as `before` for a first load, as `after` for a removal.
 *
 * The cost is proportional to the number of blocks that are not the identical object in both states. Every other block
 * costs one comparison.
 */
export function diffIptables(before: IptablesState | undefined, after: IptablesState | undefined): Patch {
  const changes = tableNames(before, after).flatMap((name) => changesOfTable(name, before, after))
  return createPatch({ from: () => digestOfState(before), to: () => digestOfState(after) }, orderChanges(changes))
}

function tableNames(...states: readonly (IptablesState | undefined)[]): readonly TableName[] {
  return [...new Set(states.flatMap((state) => state?.tables.map(({ name }) => name) ?? []))]
}

function changesOfTable(
  name: TableName,
  before: IptablesState | undefined,
  after: IptablesState | undefined,
): readonly Change[] {
  const old = tableOf(before, name)
  const fresh = tableOf(after, name)
  if (after === undefined || old === undefined || fresh === undefined) {
    return diffPairs(pairResources(resourcesOf(old), resourcesOf(fresh)))
  }
  const { changes, pairs } = diffTable(old, fresh)
  if (pairs !== undefined) updateDigest(old, fresh, pairs, after.family)
  return changes
}

function tableOf(state: IptablesState | undefined, name: TableName): Table | undefined {
  return state?.tables.find((table) => table.name === name)
}

function resourcesOf(table: Table | undefined): Resources {
  return indexResourcesById(table === undefined ? [] : listTableResources(table))
}

/** The components of the digest of a table. */
interface TableDigests {
  /** The digests of the blocks without owner, in order. The order of these blocks is significant. */
  readonly unowned: readonly string[]
  /** The combined digest of all blocks with an owner. */
  readonly owned: string
}

const digestsOfBlocks = new WeakMap<RuleBlock, string>()
const digestsOfJumps = new WeakMap<readonly Rule[], string>()
const digestsOfTables = new WeakMap<Table, TableDigests>()

/**
 * Returns a digest of a state, with 16 base32 characters. Ignores the policies of built-in chains. Each block is hashed
 * at most once. Each table is hashed once, unless `updateDigest` derived the digest.
 */
export function digestOfState(state: IptablesState | undefined): string {
  if (state === undefined) return EMPTY_STATE_DIGEST
  return hash16([state.family, ...state.tables.map((table) => textOfTable(table, state.family))].join('\n'))
}

/**
 * Derives the digests of the new table from the digests of the old table and the differing blocks. Does nothing if the
 * digests of the old table are unknown.
 */
function updateDigest(before: Table, after: Table, pairs: readonly BlockPair[], family: IpFamily): void {
  const existing = digestsOfTables.get(before)
  if (existing === undefined) return
  const removed = pairs.flatMap((pair) => pair.before ?? [])
  const added = pairs.flatMap((pair) => pair.after ?? [])
  digestsOfTables.set(after, {
    unowned: [...removed, ...added].some(isFixed) ? unownedDigests(after, family) : existing.unowned,
    owned: combineDigests(existing.owned, ownedDigests(added, family), ownedDigests(removed, family)),
  })
}

function textOfTable(table: Table, family: IpFamily): string {
  const { unowned, owned } = digestsOfTable(table, family)
  return [table.name, digestOfJumps(table.jumps, family), ...unowned, owned].join(' ')
}

function digestsOfTable(table: Table, family: IpFamily): TableDigests {
  return remembered(digestsOfTables, table, () => ({
    unowned: unownedDigests(table, family),
    owned: combineDigests(EMPTY_STATE_DIGEST, ownedDigests(table.blocks, family), []),
  }))
}

function unownedDigests({ blocks }: Table, family: IpFamily): readonly string[] {
  return blocks.filter(isFixed).map((block) => digestOfBlock(block, family))
}

function ownedDigests(blocks: readonly RuleBlock[], family: IpFamily): readonly string[] {
  return blocks.filter((block) => !isFixed(block)).map((block) => digestOfBlock(block, family))
}

function isFixed({ owner }: RuleBlock): boolean {
  return owner === ''
}

function digestOfBlock(block: RuleBlock, family: IpFamily): string {
  return remembered(digestsOfBlocks, block, () =>
    hash16(`${block.owner}\n${block.chains.join(' ')}\n${printRuleLines(getBlockRules(block), 'restore', family)}`),
  )
}

function digestOfJumps(jumps: readonly Rule[], family: IpFamily): string {
  return remembered(digestsOfJumps, jumps, () => hash16(printRuleLines(jumps, 'restore', family)))
}

function remembered<Key extends object, Value>(known: WeakMap<Key, Value>, key: Key, compute: () => Value): Value {
  const value = known.get(key) ?? compute()
  known.set(key, value)
  return value
}
