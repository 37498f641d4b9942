import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { isPlainWord } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import type { PastedLine, PasteHints } from '../../netfilter/pasted.js'
import { addListingRow, addPastedRule } from './add-pasted-rule.js'
import { type ListedChain, type ListingColumns, readChainHeading, readListingColumns } from './listing-row.js'
import {
  closeBlock,
  continueRulesBlock,
  declareChain,
  markGap,
  openBlock,
  openUnattributedBlock,
  type PastedBlock,
  type PastedBlockParser,
  type PastedBlocks,
  recordProblem,
} from './pasted-block.js'
import { parseRequestedTable } from './requested-table.js'
import { isRuleContinuation } from './rest-of-rule.js'

/** Finds the blocks of an excerpt, each with its rules as words. */
export function findPastedBlocks(lines: readonly PastedLine[], chainOfWords: PasteHints['chainOfWords']): PastedBlocks {
  const reader: PastedBlockParser = {
    chainOfWords,
    blocks: [],
    problems: [],
    open: undefined,
    hasGapOutside: false,
    hasUnreadOutside: false,
    unfinished: undefined,
  }
  let blocksBefore = 0
  for (const line of lines) {
    consumeLine(reader, line)
    if (line.kind !== 'end') continue
    spreadTears(reader.blocks.slice(blocksBefore))
    blocksBefore = reader.blocks.length
  }
  finish(reader, true)
  spreadTears(reader.blocks.slice(blocksBefore))
  return { blocks: reader.blocks, hasGapOutside: reader.hasGapOutside, problems: reader.problems }
}

/** Marks all tables of one output. If lines are missing in one of them without a mark, they may be missing in any. */
function spreadTears(blocks: readonly PastedBlock[]): void {
  const printed = blocks.filter(({ command }) => command?.filter === undefined)
  if (printed.some(({ isTorn }) => isTorn)) for (const block of printed) if (block.kind === 'save') block.isTorn = true
}

function consumeLine(reader: PastedBlockParser, line: PastedLine): undefined {
  const { source } = line
  switch (line.kind) {
    case 'gap':
      finish(reader, true)
      return markGap(reader)
    case 'unread':
      finish(reader, true)
      reader.hasUnreadOutside = reader.open === undefined
      if (reader.open !== undefined) markGap(reader, false)
      return
    case 'end':
      finish(reader, true)
      reader.hasUnreadOutside = false
      return closeBlock(reader)
    case 'blank':
      finish(reader)
      if (reader.open?.kind === 'listing') closeBlock(reader)
      return
    case 'line':
      break
  }
  const before = reader.unfinished
  if (before !== undefined && isRuleContinuation(before.at.source, source)) {
    // A space is inserted, because a line that was broken within quotes or between words has lost its trailing space.
    const at = { ...before.at, source: `${before.at.source} ${source}`, isCut: line.isCut }
    reader.unfinished = { ...before, at }
    return
  }
  finish(reader)
  const listed = readChainHeading(source)
  if (reader.hasUnreadOutside && listed === undefined && !source.startsWith('*')) reader.hasGapOutside = true
  reader.hasUnreadOutside = false
  if (source.startsWith('*')) return openSave(reader, line)
  if (/^COMMIT\b/.test(source)) return closeBlock(reader, true)
  if (source.startsWith(':')) return parseChainLine(reader, line)
  if (/^-[PN]\s/.test(source)) return parseDeclaration(reader, line)
  if (listed !== undefined) return openListing(reader, line, listed)
  const columns = readListingColumns(source)
  if (columns !== undefined) return consumeColumns(reader, columns)
  if (/^(?:\[\d+:\d+\]\s*)?-[AI]\s/.test(source)) return parseRuleLine(reader, line)
  reader.unfinished = { at: line, isRow: true }
}

function openSave(reader: PastedBlockParser, line: PastedLine): undefined {
  closeBlock(reader, false)
  openBlock(reader, line, { kind: 'save', table: TABLE_NAMES.find((name) => name === line.source.slice(1)) })
}

function parseChainLine(reader: PastedBlockParser, line: PastedLine): undefined {
  const { open } = reader
  if (isOfOtherRun(open, line)) openUnattributedBlock(reader, line)
  const match = /^:([^\s.\u2026]\S*)\s+(-|ACCEPT|DROP)(?:\s|$)/.exec(line.source)
  const block = continueRulesBlock(reader, line)
  // iptables-save prints the name of the table before its chains, and its chains before their rules.
  const isLate = block.kind === 'save' ? block.rules.length > 0 : block.command?.filter !== 'search'
  if (isLate) block.isTorn = true
  if (
    line.isCut === true ||
    match?.[1] === undefined ||
    /(?:\.\.|\u2026)$/.test(line.source) ||
    !isPlainWord(match[1])
  ) {
    block.hasGap = true
    return recordProblem(reader, line, 'cutLine', 'expected :CHAIN and its policy')
  }
  declareChain(block, match[1], match[2])
}

/**
 * Reports whether a `:CHAIN` line belongs to the output of another command. `iptables-save` prints all chains of a
 * table before its rules, and `iptables -S` prints no such lines.
 */
function isOfOtherRun(open: PastedBlock | undefined, line: PastedLine): boolean {
  const isBehindRules = open !== undefined && open.rules.length > 0
  if (open?.kind === 'save') return isBehindRules && open.isInterrupted
  if (open?.kind === 'rules' && isBehindRules) return true
  const command = open?.kind === 'rules' ? open.command : parseRequestedTable(line.command)
  return command !== undefined && command.format !== 'save'
}

/** Parses `-P INPUT ACCEPT` and `-N KUBE-SERVICES`. */
function parseDeclaration(reader: PastedBlockParser, line: PastedLine): undefined {
  const [command, chain, policy] = line.source.split(/\s+/)
  const block = continueRulesBlock(reader, line)
  if (line.isCut === true || chain === undefined || !isPlainWord(chain)) {
    block.hasGap = true
    return recordProblem(reader, line, 'cutLine', 'expected the name of a chain')
  }
  declareChain(block, chain, command === '-P' ? policy : '-')
}

function openListing(reader: PastedBlockParser, line: PastedLine, { chain, policy }: ListedChain): undefined {
  closeBlock(reader)
  const command = parseRequestedTable(line.command)
  const block = openBlock(reader, line, { kind: 'listing', table: command?.table, current: chain, isOneChain: true })
  block.chains.push({ name: chain, ...(policy !== undefined && { policy }), afterGap: false })
}

function consumeColumns({ open }: PastedBlockParser, columns: ListingColumns): undefined {
  if (open?.kind !== 'listing') return
  open.columns = columns
  open.hasHeading = true
}

function parseRuleLine(reader: PastedBlockParser, line: PastedLine): undefined {
  continueRulesBlock(reader, line)
  reader.unfinished = { at: line, isRow: false }
}

/**
 * Parses the pending rule or listing row. `isLast` means that no further line can continue it, so that it may be
 * truncated.
 */
function finish(reader: PastedBlockParser, isLast = false): undefined {
  const { unfinished } = reader
  reader.unfinished = undefined
  if (unfinished === undefined) return
  if (unfinished.isRow) return addListingRow(reader, unfinished.at)
  addPastedRule(reader, unfinished.at, isLast)
}
