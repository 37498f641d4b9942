import { changesOf, diff, pairsOf } from '../../../diff/diff.js'
import { orderChanges } from '../../../diff/order.js'
import type { Change, Patch } from '../../../diff/patch.js'
import type { Resource } from '../../../diff/resource.js'
import type { IptablesState, Rule, Table, TableName } from '../ast.js'
import { isBuiltInChain } from '../built-in-chains.js'
import { canonicalRule } from '../canonical.js'
import {
  type BuiltInJumps,
  chainOfId,
  chainResource,
  jumpsResource,
  resourcesOf,
  tableResources,
} from '../resources.js'
import { diffTable } from './diff-table.js'
import { carryDigest, digestOfState } from './state-digest.js'

/**
 * What turns the tables of one state into those of another of the same family. Undefined stands for none of our chains
 * and jumps: as `before` for a first load, as `after` to remove everything.
 *
 * The cost is that of the blocks that are not the identical object in both states; every other costs one comparison.
 */
export function diffIptables(before: IptablesState | undefined, after: IptablesState | undefined): Patch {
  const changes = tableNames(before, after).flatMap((name) => changesOfTable(name, before, after))
  return { from: digestOfState(before), to: digestOfState(after), changes: orderChanges(changes) }
}

/** Whether a chain belongs to whom the states belong. */
export type Owns = (table: TableName, chain: string) => boolean

/**
 * As `diffIptables`, but rules are equal if the kernel cannot tell them apart: for states read from a dump. What `owns`
 * does not claim is left out: chains, and rules of built-in chains that do not jump to a chain it claims. By default it
 * claims every chain that is not built in. The digests are of the normal forms, so that of a dump of a state is that of
 * the state, but not the one that `diffIptables` gives.
 */
export function diffCanonical(
  before: IptablesState | undefined,
  after: IptablesState | undefined,
  owns: Owns = () => true,
): Patch {
  return diff(canonicalResources(before, owns), canonicalResources(after, owns))
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
    return changesOf(pairsOf(byId(old), byId(fresh)))
  }
  const { changes, pairs } = diffTable(old, fresh)
  if (pairs !== undefined) carryDigest(old, fresh, pairs, after.family)
  return changes
}

function tableOf(state: IptablesState | undefined, name: TableName): Table | undefined {
  return state?.tables.find((table) => table.name === name)
}

function byId(table: Table | undefined): ReadonlyMap<string, Resource> {
  return new Map(table === undefined ? [] : tableResources(table).map((resource) => [resource.id, resource]))
}

function canonicalResources(state: IptablesState | undefined, owns: Owns): ReadonlyMap<string, Resource> {
  if (state === undefined) return new Map()
  const canonical = (rules: readonly Rule[]) => rules.map((rule) => canonicalRule(rule, state.family))
  const resources = Array.from(resourcesOf(state).values(), ({ id, value }): readonly Resource[] => {
    const { table, chain } = chainOfId(id) as { table: TableName; chain: string }
    if (!isBuiltInChain(table, chain)) {
      return owns(table, chain) ? [chainResource(table, chain, canonical(value as readonly Rule[]))] : []
    }
    return jumpsResource(
      table,
      chain,
      canonical((value as BuiltInJumps).jumps).filter((rule) => isOurs(rule, table, owns)),
    )
  })
  return new Map(resources.flat().map((resource) => [resource.id, resource]))
}

function isOurs({ verdict }: Rule, table: TableName, owns: Owns): boolean {
  return (verdict?.kind === 'jump' || verdict?.kind === 'goto') && owns(table, verdict.chain)
}
