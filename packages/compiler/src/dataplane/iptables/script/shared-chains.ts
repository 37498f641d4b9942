import type { Edit, Update } from '../../../patch/patch.js'
import type { SubsystemCommandOptions } from '../../tool-options.js'
import type { Rule, TableName } from '../ast.js'
import { jumpDestination } from '../chains.js'
import { chainId, chainOfId, rulesOf } from '../resources.js'
import { without } from './edit-chain.js'
import type { TableChanges, TableJumps } from './table-changes.js'

/** Changes without those to shared chains and to jumps to them, and the additions among the latter. */
interface SharedApart {
  readonly changes: readonly TableChanges[]
  readonly sharedJumps: readonly TableJumps[]
  readonly sharedRules: readonly TableJumps[]
}

/** Separates additions to shared chains from the other changes, and omits removals from shared chains. */
export function withoutShared(
  tables: readonly TableChanges[],
  isShared: SubsystemCommandOptions['isShared'],
): SharedApart {
  if (isShared === undefined) return { changes: tables, sharedJumps: [], sharedRules: [] }
  const leadsToShared = (table: TableName) => (rule: Rule) => isShared(chainId(table, jumpDestination(rule) ?? ''))
  const changes = tables.map(({ table, updated, edited, jumps, deleted, ...others }): TableChanges => {
    const stays = leadsToShared(table)
    const own = jumps.map(({ chain, before, after }) => ({
      chain,
      before: without(before, without(before, after).filter(stays)),
      after: without(after, without(after, before).filter(stays)),
    }))
    return {
      ...others,
      table,
      updated: updated.filter(({ id }) => !isShared(id)),
      edited: edited.filter(({ id }) => !isShared(id)),
      jumps: own.filter(({ before, after }) => before.length + after.length > 0),
      deleted: deleted.filter(({ id }) => !isShared(id)),
    }
  })
  const sharedJumps = tables.map(({ table, jumps }) => ({
    table,
    jumps: jumps.map(({ chain, before, after }) => ({
      chain,
      before: [],
      after: without(after, before).filter(leadsToShared(table)),
    })),
  }))
  const sharedRules = tables.map(({ table, updated, edited }) => ({
    table,
    jumps: [
      ...updated.filter(({ id }) => isShared(id)).map(addedByUpdate),
      ...edited.filter(({ id }) => isShared(id)).map(addedByEdit),
    ].map(({ id, rules }) => ({ chain: chainOfId(id).chain, before: [], after: rules.map(atTheEnd) })),
  }))
  return { changes, sharedJumps, sharedRules }
}

interface AddedRules {
  readonly id: string
  readonly rules: readonly Rule[]
}

function addedByUpdate({ id, before, after }: Update): AddedRules {
  return { id, rules: without(rulesOf(after), rulesOf(before)) }
}

function addedByEdit({ id, splices }: Edit): AddedRules {
  return { id, rules: splices.flatMap(({ inserted: rules }) => rules as readonly Rule[]) }
}

function atTheEnd(rule: Rule): Rule {
  return { ...rule, appended: true }
}
