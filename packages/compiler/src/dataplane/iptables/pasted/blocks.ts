import type { IpFamily } from '@kube-rules/types'
import { type PastedLine, type PasteHints, type PasteProblemCode, problemAt } from '../../netfilter/pasted.js'
import type { TextProblem } from '../../netfilter/text-problem.js'
import type { TableName } from '../ast.js'
import { TABLE_NAMES } from '../built-in-chains.js'
import { tokenize } from '../parse/tokenizer.js'
import { isPlainWord, unquote } from '../quote.js'
import { type AskedTable, askedTable } from './asked-table.js'
import { type Columns, type ListedChain, readChainHeading, readColumns, readRow } from './listing-row.js'
import { wordsOfRow } from './listing-words.js'
import { isRestOf, isWholeRule } from './rest-of-rule.js'

/** A rule as words, and where it stands. */
export interface FoundRule {
  readonly chain: string
  /** Those behind `-A CHAIN`. */
  readonly words: readonly string[]
  readonly at: PastedLine
  /** Something was left out before it, so that it may be of another table than what its block begins with. */
  readonly afterGap: boolean
}

/** A chain that is said to be there. */
export interface FoundChain {
  readonly name: string
  readonly policy?: 'ACCEPT' | 'DROP' | undefined
  readonly afterGap: boolean
}

/**
 * Lines that one run of a tool printed.
 * - `save`: `*TABLE` and what follows it
 * - `rules`: `-P`, `-N` and `-A` lines, or rules alone
 * - `listing`: one chain of `iptables -L`
 */
export interface FoundBlock {
  readonly kind: 'save' | 'rules' | 'listing'
  readonly at: PastedLine
  readonly asked: AskedTable | undefined
  /** What a line of it says. */
  readonly table: TableName | undefined
  family: IpFamily | undefined
  readonly chains: FoundChain[]
  readonly declared: Set<string>
  readonly rules: FoundRule[]
  /** Chains in which something is missing: left out, cut or not to be read. */
  readonly torn: Set<string>
  /** Chains with rules so far. */
  readonly left: Set<string>
  /** Something is missing, nobody knows of which chain. */
  hasGap: boolean
  /** COMMIT, or what a listing ends with. */
  isClosed: boolean
  /** Rules of a listing are there without their interfaces. */
  showsPart: boolean
  /** The chain that the last line was about; empty for none. */
  current: string
  /** Something was left out behind the last line. */
  gapBefore: boolean
  columns?: Columns | undefined
  hasHeading: boolean
  /** A listing of one chain, whose name is above its rows. */
  readonly isOneChain: boolean
}

export interface FoundBlocks {
  /** Something was left out between blocks. */
  readonly hasGapOutside: boolean
  readonly blocks: readonly FoundBlock[]
  readonly problems: readonly TextProblem<PasteProblemCode>[]
}

interface Reader {
  readonly chainOfWords: PasteHints['chainOfWords']
  readonly blocks: FoundBlock[]
  readonly problems: TextProblem<PasteProblemCode>[]
  open: FoundBlock | undefined
  hasGapOutside: boolean
  /** A rule, or a row of a listing, whose line may go on in the next one. */
  unfinished: { readonly at: PastedLine; readonly isRow: boolean } | undefined
}

/** The blocks of a paste, each with its rules as words. */
export function findBlocks(lines: readonly PastedLine[], chainOfWords: PasteHints['chainOfWords']): FoundBlocks {
  const reader: Reader = {
    chainOfWords,
    blocks: [],
    problems: [],
    open: undefined,
    hasGapOutside: false,
    unfinished: undefined,
  }
  for (const line of lines) takeLine(reader, line)
  finish(reader, true)
  return { blocks: reader.blocks, hasGapOutside: reader.hasGapOutside, problems: reader.problems }
}

function takeLine(reader: Reader, line: PastedLine): undefined {
  const { source } = line
  switch (line.kind) {
    case 'gap':
      finish(reader, true)
      return markGap(reader)
    case 'end':
      finish(reader, true)
      // A table is closed by COMMIT alone.
      return close(reader, reader.open?.kind !== 'save')
    case 'blank':
      finish(reader)
      if (reader.open?.kind === 'listing') close(reader, true)
      return
    case 'line':
      break
  }
  const before = reader.unfinished
  if (before !== undefined && isRestOf(before.at.source, source)) {
    // A line that was broken within quotes or between words has lost a blank at its end.
    const at = { ...before.at, source: `${before.at.source} ${source}`, isCut: line.isCut }
    reader.unfinished = { ...before, at }
    if (!before.isRow && isWholeRule(at.source)) finish(reader)
    return
  }
  finish(reader)
  if (source.startsWith('*')) return openSave(reader, line)
  if (/^COMMIT\b/.test(source)) return close(reader, true)
  if (source.startsWith(':')) return takeChainLine(reader, line)
  if (/^-[PN]\s/.test(source)) return takeDeclaration(reader, line)
  const listed = readChainHeading(source)
  if (listed !== undefined) return openListing(reader, line, listed)
  const columns = readColumns(source)
  if (columns !== undefined) return takeColumns(reader, columns)
  if (/^(?:\[\d+:\d+\]\s*)?-[AI]\s/.test(source)) return takeRuleLine(reader, line)
  reader.unfinished = { at: line, isRow: true }
}

function openBlock(reader: Reader, at: PastedLine, more: Partial<FoundBlock> & Pick<FoundBlock, 'kind'>): FoundBlock {
  const asked = askedTable(at.asked)
  const block: FoundBlock = {
    at,
    asked,
    table: undefined,
    family: at.family ?? asked?.family,
    chains: [],
    declared: new Set(),
    rules: [],
    torn: new Set(),
    left: new Set(),
    hasGap: false,
    isClosed: false,
    showsPart: false,
    current: '',
    gapBefore: false,
    hasHeading: false,
    isOneChain: false,
    ...more,
  }
  reader.blocks.push(block)
  reader.open = block
  return block
}

/** Something was left out: of the chain before, of the one after, and perhaps of others. */
function markGap(reader: Reader): undefined {
  const { open } = reader
  if (open === undefined) {
    reader.hasGapOutside = true
    return
  }
  open.hasGap = true
  open.gapBefore = true
  if (open.current !== '') open.torn.add(open.current)
}

function tear(block: FoundBlock, chain: string): void {
  block.torn.add(chain)
}

function close(reader: Reader, isClosed: boolean): undefined {
  if (reader.open !== undefined) reader.open.isClosed = isClosed
  reader.open = undefined
}

function openSave(reader: Reader, line: PastedLine): undefined {
  close(reader, false)
  const table = TABLE_NAMES.find((name) => name === line.source.slice(1).trim())
  if (table === undefined)
    return problem(reader, line, 'strayLine', `expected one of the tables ${TABLE_NAMES.join(', ')}`)
  openBlock(reader, line, { kind: 'save', table })
}

/** The block that a line of rules goes on with, or a new one. */
function rulesBlock(reader: Reader, line: PastedLine): FoundBlock {
  const { open } = reader
  if (open !== undefined && open.kind !== 'listing') return open
  close(reader, true)
  const asked = askedTable(line.asked)
  return openBlock(reader, line, { kind: 'rules', table: asked?.table })
}

function takeChainLine(reader: Reader, line: PastedLine): undefined {
  const { open } = reader
  // `iptables -S` makes chains by `-N`: this is of another run.
  const isOfRules =
    open?.kind === 'rules' ? open.asked?.spelling === 'rules' : askedTable(line.asked)?.spelling === 'rules'
  if (open?.kind !== 'save' && (isOfRules || (open?.kind === 'rules' && open.rules.length > 0))) openLoose(reader, line)
  const match = /^:([^\s.\u2026]\S*)\s+(-|ACCEPT|DROP)(?:\s|$)/.exec(line.source)
  const block = rulesBlock(reader, line)
  if (match?.[1] === undefined || /(?:\.\.|\u2026)$/.test(line.source) || !isPlainWord(match[1])) {
    block.hasGap = true
    return problem(reader, line, 'cutLine', 'expected :CHAIN and its policy')
  }
  declare(block, match[1], match[2])
}

/** Rules of which no line says where they are from. */
function openLoose(reader: Reader, line: PastedLine): FoundBlock {
  close(reader, true)
  return openBlock(reader, line, { kind: 'rules', asked: undefined, table: undefined })
}

/** `-P INPUT ACCEPT`, `-N KUBE-SERVICES`. */
function takeDeclaration(reader: Reader, line: PastedLine): undefined {
  const [command, chain, policy] = line.source.split(/\s+/)
  const block = rulesBlock(reader, line)
  if (chain === undefined || !isPlainWord(chain)) {
    block.hasGap = true
    return problem(reader, line, 'cutLine', 'expected the name of a chain')
  }
  declare(block, chain, command === '-P' ? policy : '-')
}

function declare(block: FoundBlock, name: string, policy: string | undefined): void {
  if (block.declared.has(name)) return
  block.declared.add(name)
  const afterGap = block.hasGap
  block.chains.push(policy === 'ACCEPT' || policy === 'DROP' ? { name, policy, afterGap } : { name, afterGap })
}

function openListing(reader: Reader, line: PastedLine, { chain, policy }: ListedChain): undefined {
  close(reader, true)
  const asked = askedTable(line.asked)
  const block = openBlock(reader, line, { kind: 'listing', table: asked?.table, current: chain, isOneChain: true })
  block.chains.push({ name: chain, ...(policy !== undefined && { policy }), afterGap: false })
}

function takeColumns({ open }: Reader, columns: Columns): undefined {
  if (open?.kind !== 'listing') return
  open.columns = columns
  open.hasHeading = true
}

function takeRow(reader: Reader, line: PastedLine): undefined {
  const { open } = reader
  const listed = open?.kind === 'listing' && open.isOneChain ? open : undefined
  const row = line.isCut ? undefined : readRow(line.source, listed?.columns)
  if (row === undefined) {
    if (listed !== undefined) tear(listed, listed.current)
    const expected = 'expected a rule, or a row of a listing: target, protocol, options, source and destination'
    return problem(reader, line, 'badRow', expected)
  }
  const words = wordsOfRow(row)
  // A search finds rows without the heading that tells their chain.
  const asked = askedTable(line.asked)
  const chain = listed?.current ?? asked?.chain ?? reader.chainOfWords(words)
  if (chain === undefined) return problem(reader, line, 'strayLine', 'nothing tells of which chain this row is')
  const loose = open?.kind === 'listing' && !open.isOneChain ? open : undefined
  const block = listed ?? loose ?? openBlock(reader, line, { kind: 'listing', table: asked?.table })
  if (block.gapBefore) tear(block, chain)
  if (row.inInterface === undefined) block.showsPart = true
  block.family ??= familyOf(`${row.source} ${row.destination}`)
  block.rules.push({ chain, words, at: line, afterGap: false })
}

/** By the colons of IPv6 and the dots of IPv4; names tell nothing. */
function familyOf(addresses: string): IpFamily | undefined {
  if (/[0-9a-f]*:[0-9a-f]*:/.test(addresses)) return 'IPv6'
  return /\d\.\d+\.\d+\.\d/.test(addresses) ? 'IPv4' : undefined
}

function takeRuleLine(reader: Reader, line: PastedLine): undefined {
  rulesBlock(reader, line)
  reader.unfinished = { at: line, isRow: false }
  if (isWholeRule(line.source)) finish(reader)
}

/** Reads the rule or row that is waiting for more. With `isLast` nothing that is known follows it. */
function finish(reader: Reader, isLast = false): undefined {
  const { unfinished } = reader
  reader.unfinished = undefined
  if (unfinished === undefined) return
  if (unfinished.isRow) return takeRow(reader, unfinished.at)
  finishIn(reader, unfinished.at, isLast)
}

/**
 * A run of `iptables -S` has all its chains before its rules, and all rules of a chain together: a chain that was not there, or
 * comes back, is of another one.
 */
function isOfOther({ kind, asked, declared, current, left, hasGap }: FoundBlock, chain: string): boolean {
  const isAll = asked !== undefined && asked.filter === undefined && !hasGap && declared.size > 0
  if (kind === 'rules' && isAll && !declared.has(chain)) return true
  return kind === 'rules' && (asked !== undefined || declared.size > 0) && chain !== current && left.has(chain)
}

function finishIn(reader: Reader, at: PastedLine, isLast = false): undefined {
  const { open } = reader
  const { source } = at
  if (open === undefined) return
  const cut = /\s*(?:\.{3,}|\u2026+)\s*$/.exec(source)
  const text = cut === null ? source : source.slice(0, cut.index)
  const tokens = tokenize(text, 0, text.length)
  const words = tokens.ok ? tokens.words : text.trim().split(/\s+/)
  const start = words[0]?.startsWith('[') ? 1 : 0
  const chain = unquote(words[start + 1] ?? '')
  const isCutName = (cut !== null || isLast) && words.length <= start + 2
  if (chain === '' || !isPlainWord(chain) || isCutName) {
    markGap(reader)
    return problem(reader, at, 'cutLine', 'the line ends before the name of the chain')
  }
  if (isOfOther(open, chain)) {
    openLoose(reader, at)
    return finishIn(reader, at, isLast)
  }
  if (open.gapBefore) tear(open, chain)
  open.gapBefore = false
  open.current = chain
  open.left.add(chain)
  const rest = words.slice(start + 2)
  // A rule may do nothing but count; the last line may be cut before its verdict.
  const mayBeCut = isLast && !rest.includes('-j') && !rest.includes('-g')
  if (!tokens.ok || cut !== null || mayBeCut) {
    tear(open, chain)
    return problem(reader, at, 'cutLine', 'the line is cut: what the rule does is not to be seen')
  }
  const own = words[start] === '-I' ? rest.slice(/^\d+$/.test(rest[0] ?? '') ? 1 : 0) : rest
  if (own.some(isLeftOut)) tear(open, chain)
  open.rules.push({ chain, words: withUnknown(own), at, afterGap: open.hasGap })
}

function isLeftOut(word: string): boolean {
  return /^(?:\.{2,}|\u2026+)$/.test(word)
}

/** With a match that nobody understands in place of what was left out. */
function withUnknown(words: readonly string[]): readonly string[] {
  const known = words.filter((word) => !isLeftOut(word))
  if (known.length === words.length) return words
  const verdict = known.findIndex((word) => word === '-j' || word === '-g')
  const at = verdict < 0 ? known.length : verdict
  return [...known.slice(0, at), '-m', 'leftout', ...known.slice(at)]
}

function problem(reader: Reader, line: PastedLine, code: PasteProblemCode, message: string): undefined {
  reader.problems.push(problemAt(line, code, message))
}
