import type { EditChange, UpdateChange } from '../../../patch/patch.js'
import type { SubsystemCommandOptions } from '../../tool-options.js'
import type { Rule, TableName } from '../ast.js'
import { jumpTargetOf } from '../chains.js'
import { formatChainId, parseChainId, rulesOfResource } from '../resources.js'
import { subtractRules } from './edit-chain.js'
import type { TableChanges, TableJumpChanges } from './table-changes.js'

/**
 * The changes of tables, split by whether they concern chains that other programs share. `sharedRules` has the rules to
 * add to shared chains, `sharedJumps` the jumps to add to them, and `changes` all other changes. Removals from shared
 * chains are omitted.
 */
interface SharedApart {
  readonly changes: readonly TableChanges[]
  readonly sharedJumps: readonly TableJumpChanges[]
  readonly sharedRules: readonly TableJumpChanges[]
}

/** Separates additions to shared chains from the other changes. Omits removals from shared chains. */
export function separateSharedChainChanges(
  tables: readonly TableChanges[],
  isShared: SubsystemCommandOptions['isShared'],
): SharedApart {
  if (isShared === undefined) return { changes: tables, sharedJumps: [], sharedRules: [] }
  const leadsToShared = (table: TableName) => (rule: Rule) => isShared(formatChainId(table, jumpTargetOf(rule) ?? ''))
  const changes = tables.map(({ table, updated, edited, jumps, deleted, ...others }): TableChanges => {
    const stays = leadsToShared(table)
    const own = jumps.map(({ chain, before, after }) => ({
      chain,
      before: subtractRules(before, subtractRules(before, after).filter(stays)),
      after: subtractRules(after, subtractRules(after, before).filter(stays)),
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
      after: subtractRules(after, before).filter(leadsToShared(table)),
    })),
  }))
  const sharedRules = tables.map(({ table, updated, edited }) => ({
    table,
    jumps: [
      ...updated.filter(({ id }) => isShared(id)).map(addedByUpdate),
      ...edited.filter(({ id }) => isShared(id)).map(addedByEdit),
    ].map(({ id, rules }) => ({ chain: parseChainId(id).chain, before: [], after: rules.map(atTheEnd) })),
  }))
  return { changes, sharedJumps, sharedRules }
}

interface AddedRules {
  readonly id: string
  readonly rules: readonly Rule[]
}

function addedByUpdate({ id, before, after }: UpdateChange): AddedRules {
  return { id, rules: subtractRules(rulesOfResource(after), rulesOfResource(before)) }
}

function addedByEdit({ id, splices }: EditChange): AddedRules {
  return { id, rules: splices.flatMap(({ inserted: rules }) => rules as readonly Rule[]) }
}

function atTheEnd(rule: Rule): Rule {
  return { ...rule, appended: true }
}
