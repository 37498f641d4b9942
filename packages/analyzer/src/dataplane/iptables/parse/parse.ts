import type { IptablesState, Table, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/parse/tokenizer'
import type { IpFamily, Result } from '@kube-rules/types'
import { createTextProblem, MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import { closeTable, type LineFailure, type OpenTable, openTable, readTableLine } from './parse-table.js'
import type { IptablesProblem, IptablesProblemCode } from './problem.js'

/**
 * Parses the output of iptables-save of either backend, with or without counters, and the input of kube-proxy for
 * iptables-restore.
 *
 * Each table has one block with the custom chains and their rules in text order. Rules of built-in chains are the
 * `jumps` of the table. Counters and `#` lines are ignored, and unsupported text is stored as unknown words.
 * `firstLine` is the number of the first line.
 *
 * Never throws: returns up to 100 problems, each with its position. Linear in the length of the text.
 */
export function parseIptables(
  text: string,
  family: IpFamily,
  firstLine = 1,
): Result<IptablesState, TextProblem<IptablesProblemCode>> {
  const line = firstLine - 1
  const control = findControlCharacter(text, 0)
  const reader: Reader = { text, family, tables: [], table: undefined, problems: [], line, start: 0, end: 0, control }
  while (reader.start <= text.length && reader.problems.length < MAX_PROBLEMS) {
    const newline = text.indexOf('\n', reader.start)
    reader.end = newline < 0 ? text.length : newline
    reader.line++
    const failure = readTextLine(reader)
    if (failure !== undefined) report(reader, failure)
    if (newline < 0 && reader.table !== undefined) report(reader, { code: 'missingCommit', at: reader.end })
    reader.start = reader.end + 1
  }
  const { tables, problems } = reader
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { family, tables } }
}

interface Reader {
  readonly text: string
  readonly family: IpFamily
  readonly tables: Table[]
  table: OpenTable | undefined
  readonly problems: IptablesProblem[]
  /** The number of the current line, with its start and end. */
  line: number
  start: number
  end: number
  /** The position of the next control character from the current line on; the end of the text if none follows. */
  control: number
}

/** The reason why a line is invalid, with the position in the text. */
interface PlacedFailure {
  readonly code: LineFailure['code']
  readonly at: number
}

function readTextLine(reader: Reader): PlacedFailure | undefined {
  const { text, start, end } = reader
  if (reader.control < end) return consumeControlCharacter(reader)
  if (start === end || text[start] === '#') return undefined
  const tokens = tokenize(text, start, end)
  if (!tokens.ok) return { code: 'unclosedQuote', at: tokens.openQuote }
  const { words } = tokens
  const [first] = words
  if (first === undefined || first.startsWith('#')) return undefined
  const failure = readWords(first, words, reader)
  return failure && { code: failure.code, at: placeOfWord(reader, words, failure.word) }
}

function consumeControlCharacter(reader: Reader): PlacedFailure {
  const at = reader.control
  reader.control = findControlCharacter(reader.text, reader.end)
  return { code: 'controlCharacter', at }
}

/**
 * Returns the position of the first control character at or after `start`, except tabs and newlines. Returns the end of
 * the text if there is no such character.
 */
function findControlCharacter(text: string, start: number): number {
  const control = /[^\t\n -~\u0080-\uffff]/g
  control.lastIndex = start
  return control.exec(text)?.index ?? text.length
}

function readWords(first: string, words: readonly string[], reader: Reader): LineFailure | undefined {
  if (first.startsWith('*')) return startTable(first.slice(1), reader)
  if (reader.table === undefined) return { code: 'outsideTable', word: 0 }
  if (first !== 'COMMIT') return readTableLine(first, words, reader.table)
  reader.tables.push(closeTable(reader.table))
  reader.table = undefined
  return undefined
}

function startTable(text: string, reader: Reader): LineFailure | undefined {
  const name = TABLE_NAMES.find((known) => known === text)
  if (name === undefined) return { code: 'unknownTable', word: 0 }
  const unexpected = reader.table !== undefined || isDone(name, reader)
  reader.table = openTable(name, reader.family)
  return unexpected ? { code: 'unexpectedTable', word: 0 } : undefined
}

function isDone(name: TableName, { tables }: Reader): boolean {
  return tables.some((table) => table.name === name)
}

/**
 * Returns the start position of a word of the current line. Returns the end of the last word if the line has fewer
 * words.
 */
function placeOfWord({ text, start, end }: Reader, words: readonly string[], index: number): number {
  let at = start
  for (const [position, word] of words.entries()) {
    at = text.indexOf(word, at)
    if (position === index) return at
    at += word.length
  }
  return Math.min(at, end)
}

const MESSAGES: Readonly<Record<LineFailure['code'], string>> = {
  controlCharacter: 'control characters are not allowed; lines end with a newline alone',
  unknownTable: `expected one of the tables ${TABLE_NAMES.join(', ')}`,
  unexpectedTable: 'this table starts before the last one was committed, or for the second time',
  outsideTable: 'expected a line that starts a table, such as *nat',
  missingCommit: 'the table is not committed before the text ends',
  unknownCommand: 'expected :CHAIN, -A, -X or COMMIT',
  badChainLine: 'expected :CHAIN and its policy: - or, for a built-in chain, ACCEPT or DROP',
  duplicateChain: 'this chain was declared before',
  missingChain: 'expected the name of a chain',
  unclosedQuote: 'this quote is not closed within its line',
  unexpectedWord: 'expected an option',
  missingValue: 'this option takes a value',
  duplicateTarget: 'the rule already has a target',
}

function report({ text, line, start, end, problems }: Reader, { code, at }: PlacedFailure): void {
  const column = at - start + 1
  problems.push(createTextProblem({ code, text: 0, line, column, message: MESSAGES[code] }, text.slice(start, end)))
}
