import type { Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { peekToken } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import type { Result } from '@kube-rules/types'
import type { TextProblem } from '../../netfilter/text-problem.js'
import { applyCommand, type DraftTables, formatTableKey } from '../apply/apply-command.js'
import { createDraftTable, draftToTable } from '../apply/draft.js'
import { parseCommand, parseTableFamily, type SetTypesLookup } from './parse-command.js'
import { declaredTypesOf } from './parse-set.js'
import { parseTableBody } from './parse-table.js'
import {
  hasMaxProblems,
  type NftablesParser,
  type NftablesProblemCode,
  recordProblem,
  recordUnexpectedToken,
} from './problem.js'
import { consumeWord, endsStatement, skipPunctuation, skipSeparators, skipStatement, skipWord } from './tokens.js'

/**
 * Parses tables, in order: output of `nft list table` or `nft list ruleset`, commands for `nft -f -`, or a sequence of
 * both. Commands are executed one by one, starting with the existing `tables`. Invalid text, and commands that the
 * kernel would reject, are problems, up to 100. Comments after `#` are ignored.
 *
 * Statements and objects that the tree does not model are stored as words.
 */
export function parseNftables(
  text: string,
  tables: readonly Table[] = [],
): Result<readonly Table[], TextProblem<NftablesProblemCode>> {
  const reader: NftablesParser = { source: text, at: 0, problems: [] }
  const drafts: DraftTables = new Map()
  // Only commands need drafts, which copy a table. These tables come after the drafts.
  const listed = new Map(tables.map((table) => [keyOf(table), table]))
  const typesOf: SetTypesLookup = (place, set) =>
    declaredTypesOf(drafts.get(formatTableKey(place))?.sets.get(set)?.definition ?? {})
  readItems(reader, () => {
    const token = peekToken(reader)
    if (skipWord(reader, 'table')) return parseTable(reader, drafts, listed)
    for (const [key, table] of listed) drafts.set(key, createDraftTable(table))
    listed.clear()
    const command = parseCommand(reader, typesOf)
    const reason = command === undefined ? undefined : applyCommand(drafts, command)
    if (reason !== undefined) recordProblem(reader, 'rejectedCommand', reason.message, token)
  })
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems }
  return { ok: true, value: [...Array.from(drafts.values(), draftToTable), ...listed.values()] }
}

function keyOf({ family, name }: Pick<Table, 'family' | 'name'>): string {
  return formatTableKey({ family, table: name })
}

function parseTable(reader: NftablesParser, drafts: DraftTables, listed: Map<string, Table>): undefined {
  const family = parseTableFamily(reader) ?? 'ip'
  const token = peekToken(reader)
  const name = consumeWord(reader)
  if (name === undefined) return recordUnexpectedToken(reader, 'the name of the table', token)
  if (!skipPunctuation(reader, '{')) return recordUnexpectedToken(reader, 'an opening brace', peekToken(reader))
  const table = parseTableBody(reader, family, name)
  const key = keyOf(table)
  if (drafts.has(key) || listed.has(key))
    return recordProblem(reader, 'duplicateName', `table ${key} already exists`, token)
  listed.set(key, table)
}

/** Parses items up to the end of the text. After an invalid item, continues with the next item. */
export function readItems(reader: NftablesParser, take: () => void): void {
  failAtStrangeCharacters(reader)
  for (skipSeparators(reader); peekToken(reader).kind !== 'end' && !hasMaxProblems(reader); skipSeparators(reader)) {
    const problems = reader.problems.length
    take()
    const next = peekToken(reader)
    if (!endsStatement(next) || next.text === '}') {
      if (reader.problems.length === problems) recordUnexpectedToken(reader, 'the end of the line', next)
      if (next.text === '}') skipPunctuation(reader, '}')
      else skipStatement(reader)
    }
  }
}

/** Reports control characters other than tabs and line ends, because they have no printable form. */
function failAtStrangeCharacters(reader: NftablesParser): void {
  for (const { index } of reader.source.matchAll(/[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}]/gu)) {
    if (hasMaxProblems(reader)) return
    const token = { kind: 'word', start: index, end: index + 1, text: '' } as const
    recordProblem(reader, 'invalidCharacter', 'nft never prints this character', token)
  }
}
