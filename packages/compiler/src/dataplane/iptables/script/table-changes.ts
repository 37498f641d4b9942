import { groupItems } from '../../../internal/group-items.js'
import { invariant } from '../../../internal/invariant.js'
import { type Change, type EditChange, resourceIdOf, type UpdateChange } from '../../../patch/patch.js'
import type { Resource } from '../../../patch/resource.js'
import type { Rule, TableName } from '../ast.js'
import { isBuiltInChain, TABLE_NAMES } from '../built-in-chains.js'
import { jumpsOfResource, parseChainId } from '../resources.js'

/** The kube-proxy jumps in one built-in chain, before and after the changes. */
export interface JumpChange {
  readonly chain: string
  readonly before: readonly Rule[]
  readonly after: readonly Rule[]
}

/** The changes to one table by kind. Changes of one kind are in the given order. */
export interface TableChanges {
  readonly table: TableName
  readonly created: readonly Resource[]
  readonly updated: readonly UpdateChange[]
  readonly edited: readonly EditChange[]
  readonly jumps: readonly JumpChange[]
  /** Chains to flush but not to delete, because unknown rules may refer to them. */
  readonly emptied: readonly Resource[]
  readonly deleted: readonly Resource[]
}

/** Groups changes by table. */
export function groupChangesByTable(all: readonly Change[]): readonly TableChanges[] {
  const byTable = groupItems(all, tableOf)
  return TABLE_NAMES.flatMap((table) => {
    const changes = byTable.get(table)
    return changes === undefined ? [] : [tableChanges(table, changes)]
  })
}

function tableOf(change: Change): TableName {
  const id = resourceIdOf(change)
  const table = TABLE_NAMES.find((name) => name === parseChainId(id).table)
  invariant(table !== undefined, `${JSON.stringify(id)} does not identify a table`)
  return table
}

function tableChanges(table: TableName, changes: readonly Change[]): TableChanges {
  const isJump = (change: Change) => isBuiltInChain(table, parseChainId(resourceIdOf(change)).chain)
  const ofChains = changes.filter((change) => !isJump(change))
  return {
    table,
    created: ofChains.flatMap((change) => (change.kind === 'create' ? [change.resource] : [])),
    updated: ofChains.flatMap((change) => (change.kind === 'update' ? [change] : [])),
    edited: ofChains.flatMap((change) => (change.kind === 'edit' ? [change] : [])),
    jumps: changes.filter(isJump).map(jumpChange),
    emptied: [],
    deleted: ofChains.flatMap((change) => (change.kind === 'delete' ? [change.resource] : [])),
  }
}

function jumpChange(change: Change): JumpChange {
  const { chain } = parseChainId(resourceIdOf(change))
  invariant(change.kind !== 'edit', `the jumps of kube-proxy in ${chain} are one value, not a list`)
  if (change.kind === 'create') return { chain, before: [], after: jumpsOfResource(change.resource) }
  if (change.kind === 'delete') return { chain, before: jumpsOfResource(change.resource), after: [] }
  return { chain, before: jumpsOfResource(change.before), after: jumpsOfResource(change.after) }
}

/** The changed jumps of a table. */
export type TableJumpChanges = Pick<TableChanges, 'table' | 'jumps'>
