import type {
  ChainPolicy,
  IptablesState,
  Rule,
  Table,
  TableName,
} from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain, TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { isPlainWord, unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/tokenizer'
import type { IpFamily, Result } from '@kube-rules/types'
import { createTextProblem, MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import { parseRule, RULE_PARSE_MESSAGES } from './parse-rule.js'
import type { RuleParseContext } from './parse-target.js'
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
  ...RULE_PARSE_MESSAGES,
}

function report({ text, line, start, end, problems }: Reader, { code, at }: PlacedFailure): void {
  const column = at - start + 1
  problems.push(createTextProblem({ code, text: 0, line, column, message: MESSAGES[code] }, text.slice(start, end)))
}

/** A table during parsing. */
interface OpenTable extends RuleParseContext {
  readonly name: TableName
  readonly policies: ChainPolicy[]
  readonly chains: Set<string>
  /** Iterator over the names in `chains`. Its position is after the chain of the last rule. */
  readonly ahead: Iterator<string>
  readonly jumps: Rule[]
  readonly rules: Rule[]
}

/** The reason why a line is invalid, with the index of the word. */
interface LineFailure {
  readonly code: Exclude<IptablesProblemCode, 'duplicateTable'>
  readonly word: number
}

function openTable(name: TableName, family: RuleParseContext['family']): OpenTable {
  const chains = new Set<string>()
  return { name, family, policies: [], chains, ahead: chains.values(), jumps: [], rules: [] }
}

function closeTable({ name, policies, chains, jumps, rules }: OpenTable): Table {
  const blocks = chains.size + rules.length === 0 ? [] : [{ owner: '', chains: [...chains], rules }]
  return { name, ...(policies.length === 0 ? {} : { policies }), jumps, blocks }
}

/** Parses one line of a table: `:CHAIN …`, `-A CHAIN …` or `-X CHAIN`. `first` is its first word. */
function readTableLine(first: string, words: readonly string[], table: OpenTable): LineFailure | undefined {
  if (first.startsWith(':')) return readChainLine(first.slice(1), words[1], table)
  const command = first.startsWith('[') && /^\[\d+:\d+\]$/.test(first) ? 1 : 0
  switch (words[command]) {
    case '-A':
    case '--append':
      return readRule(words, command + 1, table)
    case '-X':
    case '--delete-chain':
      return deleteChain(words, command + 1, table)
    default:
      return { code: 'unknownCommand', word: command }
  }
}

/** Parses `:CHAIN POLICY [PACKETS:BYTES]`; the policy of a custom chain is `-`. */
function readChainLine(chain: string, policy: string | undefined, table: OpenTable): LineFailure | undefined {
  const builtIn = isBuiltInChain(table.name, chain)
  if (builtIn && policy === 'DROP') table.policies.push({ chain, policy })
  if (builtIn) return policy === 'ACCEPT' || policy === 'DROP' || policy === '-' ? undefined : badChainLine(1)
  if (policy !== '-' || !isPlainWord(chain)) return badChainLine(policy === '-' ? 0 : 1)
  const { size } = table.chains
  return table.chains.add(chain).size > size ? undefined : { code: 'duplicateChain', word: 0 }
}

function badChainLine(word: number): LineFailure {
  return { code: 'badChainLine', word }
}

function readRule(words: readonly string[], at: number, table: OpenTable): LineFailure | undefined {
  const name = unquote(words[at] ?? '')
  const isBuiltIn = isBuiltInChain(table.name, name)
  const chain = isBuiltIn ? name : (chainOf(name, table) ?? (isPlainWord(name) ? name : undefined))
  if (chain === undefined) return { code: 'missingChain', word: at }
  const result = parseRule(chain, { raw: words, at: at + 1 }, table)
  if (!result.ok) return result.failure
  const rules = isBuiltIn ? table.jumps : table.rules
  rules.push(result.rule)
  return undefined
}

/**
 * Returns the stored string of a chain name, from the last rule or the chain line. Sharing this string instead of an
 * identical copy saves memory. The search only goes forward, because the rules of a dump are in the order of its chain
 * lines. Undefined if no further chain has the name.
 */
function chainOf(name: string, { rules, ahead }: OpenTable): string | undefined {
  const last = rules[rules.length - 1]?.chain
  if (last === name) return last
  for (let next = ahead.next(); next.done !== true; next = ahead.next()) if (next.value === name) return next.value
  return undefined
}

/** Deletes a chain. kube-proxy prints `:CHAIN` and `-X CHAIN` to remove a chain that may not exist. */
function deleteChain(words: readonly string[], at: number, table: OpenTable): LineFailure | undefined {
  const chain = unquote(words[at] ?? '')
  if (!table.chains.delete(chain)) return { code: 'missingChain', word: at }
  return words[at + 1] === undefined ? undefined : { code: 'unexpectedWord', word: at + 1 }
}
