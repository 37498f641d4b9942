import type {
  CommandTable,
  NftCommand,
  ObjectCommand,
  TableCommand,
} from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { applyChainCommand, flushChain } from './apply-chain-command.js'
import { applyElementCommand } from './apply-element-command.js'
import { applyRuleCommand } from './apply-rule-command.js'
import { applySetCommand } from './apply-set-command.js'
import { type DraftTable, formatObjectKey } from './draft.js'
import {
  createMissingObjectError,
  createObjectExistsError,
  createObjectInUseError,
  type TransactionErrorReason,
} from './transaction-error.js'

/** The tables of a namespace during a transaction, by the key that `formatTableKey` returns. */
export type DraftTables = Map<string, DraftTable>

export function formatTableKey({ family, table }: CommandTable): string {
  return `${family} ${table}`
}

/** Executes one command as the kernel would. A rejected command may leave the drafts partly changed. */
export function applyCommand(drafts: DraftTables, command: NftCommand): TransactionErrorReason | undefined {
  if (command.object === 'ruleset') return flushRuleset(drafts, command.family)
  if (command.object === 'table') return applyToTable(drafts, command)
  const table = drafts.get(formatTableKey(command))
  if (table === undefined)
    return mayBeAbsent(command) ? undefined : createMissingObjectError(`table ${formatTableKey(command)}`)
  switch (command.object) {
    case 'chain':
      return applyChainCommand(table, command)
    case 'set':
      return applySetCommand(table, command)
    case 'element':
      return applyElementCommand(table, command)
    case 'rule':
      return applyRuleCommand(table, command)
    case 'named':
      return applyToObject(table, command)
  }
}

function mayBeAbsent(command: NftCommand): boolean {
  return command.verb === 'destroy'
}

function flushRuleset(drafts: DraftTables, family: string | undefined): undefined {
  for (const [key, table] of drafts) if (family === undefined || table.family === family) drafts.delete(key)
}

function applyToTable(drafts: DraftTables, command: TableCommand): TransactionErrorReason | undefined {
  const key = formatTableKey(command)
  const table = drafts.get(key)
  switch (command.verb) {
    case 'add':
    case 'create': {
      if (table !== undefined) return command.verb === 'create' ? createObjectExistsError(`table ${key}`) : undefined
      const { family, table: name, comment, flags } = command
      drafts.set(key, {
        family,
        name,
        ...(flags !== undefined && { flags }),
        ...(comment !== undefined && { comment }),
        chains: new Map(),
        sets: new Map(),
        objects: new Map(),
      })
      return undefined
    }
    case 'flush':
      if (table === undefined) return createMissingObjectError(`table ${key}`)
      for (const chain of table.chains.values()) flushChain(table, chain)
      return undefined
    default:
      return drafts.delete(key) || command.verb === 'destroy' ? undefined : createMissingObjectError(`table ${key}`)
  }
}

function applyToObject(table: DraftTable, command: ObjectCommand): TransactionErrorReason | undefined {
  if ('definition' in command) {
    const key = formatObjectKey(command.definition)
    if (!table.objects.has(key)) table.objects.set(key, { object: command.definition, uses: 0 })
    else if (command.verb === 'create') return createObjectExistsError(key)
    return undefined
  }
  const key = `${command.type} ${command.name}`
  const existing = table.objects.get(key)
  if (existing === undefined) return command.verb === 'destroy' ? undefined : createMissingObjectError(key)
  if (existing.uses > 0) return createObjectInUseError(key)
  table.objects.delete(key)
  return undefined
}
