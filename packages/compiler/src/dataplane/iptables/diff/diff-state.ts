import { diffPairs, pairResources } from '../../../patch/diff-resources.js'
import { orderChanges } from '../../../patch/order.js'
import { type Change, createPatch, type Patch } from '../../../patch/patch.js'
import { type Resources, resourcesById } from '../../../patch/resource.js'
import type { IptablesState, Table, TableName } from '../ast.js'
import { listTableResources } from '../resources.js'
import { diffTable } from './diff-table.js'
import { digestOfState, updateDigest } from './state-digest.js'

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
  return resourcesById(table === undefined ? [] : listTableResources(table))
}
