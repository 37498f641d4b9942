import type { Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { NftCommand } from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { applyCommand, type DraftTables, formatTableKey } from '../../src/dataplane/nftables/apply/apply-command.js'
import { createDraftTable, type DraftTable, draftToTable } from '../../src/dataplane/nftables/apply/draft.js'
import type { TransactionError } from '../../src/dataplane/nftables/apply/transaction-error.js'
import { findJumpProblem } from './reach.js'

/** The result of a transaction: the new table, undefined if it was deleted, or the error that aborted it. */
export type TransactionResult =
  | { readonly ok: true; readonly table: Table | undefined }
  | { readonly ok: false; readonly error: TransactionError }

/**
 * Executes commands on one table as the kernel would: in order, each on the result of the preceding commands. If a
 * command fails, no command takes effect. `table` is the existing table, or undefined if the table does not exist; it
 * is not modified. Compares keys, names and types as text and does not check their meaning. Elements do not expire.
 */
export function applyTransaction(table: Table | undefined, commands: readonly NftCommand[]): TransactionResult {
  const drafts: DraftTables = new Map()
  const key = table === undefined ? keyOf(commands) : formatTableKey({ family: table.family, table: table.name })
  if (table !== undefined && key !== undefined) drafts.set(key, createDraftTable(table))
  for (const [index, command] of commands.entries()) {
    const reason =
      command.object !== 'ruleset' && formatTableKey(command) !== key
        ? ({ code: 'otherTable', message: `table ${formatTableKey(command)} is not table ${key}` } as const)
        : applyCommand(drafts, command)
    if (reason !== undefined) return { ok: false, error: { ...reason, command: index } }
  }
  const [draft] = drafts.values()
  const impasse = draft === undefined ? undefined : impasseOf(draft)
  if (impasse !== undefined) return { ok: false, error: impasse }
  return { ok: true, table: draft === undefined ? undefined : draftToTable(draft) }
}

function keyOf(commands: readonly NftCommand[]): string | undefined {
  for (const command of commands) if (command.object !== 'ruleset') return formatTableKey(command)
  return undefined
}

function impasseOf(draft: DraftTable): TransactionError | undefined {
  const chains = Array.from(draft.chains.values(), ({ name, base, rules }) => ({
    name,
    isBase: base !== undefined,
    rules,
  }))
  const impasse = findJumpProblem({ chains, elementsOf: (set) => draft.sets.get(set)?.elements.values() ?? [] })
  if (impasse === undefined) return undefined
  const { kind: code, path } = impasse
  const message = code === 'loop' ? 'loops back to itself' : 'is too long'
  return { code, message: `${path.join(' -> ')} ${message}` }
}
