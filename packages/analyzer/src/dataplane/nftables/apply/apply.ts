import type { Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { Command } from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { findImpasse } from '../reach.js'
import { applyCommand, type Drafts, tableKey } from './apply-command.js'
import { closeDraft, type DraftTable, openDraft } from './draft.js'
import type { Refusal } from './refusal.js'

/** What a transaction comes to: the table afterwards, undefined where it is gone, or the reason for which nothing happens. */
export type Applied =
  | { readonly ok: true; readonly table: Table | undefined }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * Carries out commands about one table, all or none, as the kernel would: in order, each with what those before it have
 * done. `table` is what is there; undefined where nothing is. A table is not changed.
 *
 * Keys, names and types are compared as text, and what one of them means is left to nft. Elements do not run out.
 */
export function apply(table: Table | undefined, commands: readonly Command[]): Applied {
  const drafts: Drafts = new Map()
  const key = table === undefined ? keyOf(commands) : tableKey({ family: table.family, table: table.name })
  if (table !== undefined && key !== undefined) drafts.set(key, openDraft(table))
  for (const [index, command] of commands.entries()) {
    const reason =
      command.object !== 'ruleset' && tableKey(command) !== key
        ? ({ code: 'otherTable', message: `table ${tableKey(command)} is not table ${key}` } as const)
        : applyCommand(drafts, command)
    if (reason !== undefined) return { ok: false, refusal: { ...reason, command: index } }
  }
  const [draft] = drafts.values()
  const impasse = draft === undefined ? undefined : impasseOf(draft)
  if (impasse !== undefined) return { ok: false, refusal: impasse }
  return { ok: true, table: draft === undefined ? undefined : closeDraft(draft) }
}

function keyOf(commands: readonly Command[]): string | undefined {
  for (const command of commands) if (command.object !== 'ruleset') return tableKey(command)
  return undefined
}

function impasseOf(draft: DraftTable): Refusal | undefined {
  const chains = Array.from(draft.chains.values(), ({ name, base, rules }) => ({
    name,
    isBase: base !== undefined,
    rules,
  }))
  const impasse = findImpasse({ chains, elementsOf: (set) => draft.sets.get(set)?.elements.values() ?? [] })
  if (impasse === undefined) return undefined
  const { kind: code, way } = impasse
  const message = code === 'loop' ? 'leads back to itself' : 'is too long'
  return { code, message: `${way.join(' -> ')} ${message}` }
}
