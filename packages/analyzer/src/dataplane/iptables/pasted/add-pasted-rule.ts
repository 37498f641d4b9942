import { isPlainWord, unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/tokenizer'
import type { IpFamily } from '@kube-rules/types'
import type { PastedLine } from '../../netfilter/pasted.js'
import { readListingRow } from './listing-row.js'
import { toRuleArguments } from './listing-words.js'
import {
  markGap,
  markIncomplete,
  openBlock,
  openUnattributedBlock,
  type PastedBlock,
  type PastedBlockParser,
  recordProblem,
} from './pasted-block.js'
import { parseRequestedTable } from './requested-table.js'

/** Converts a row of a listing to a rule of its chain. */
export function addListingRow(reader: PastedBlockParser, line: PastedLine): undefined {
  const { open } = reader
  // A search omits headings, so its rows may belong to a chain after the one with the last heading.
  const lacksHeadings = line.command?.filter === 'search' && line.command.keepsHeadings !== true
  const listed = open?.kind === 'listing' && open.isOneChain && !lacksHeadings ? open : undefined
  const row = line.isCut ? undefined : readListingRow(line.source, listed?.columns)
  if (row === undefined || isShortened(row.target)) {
    if (listed !== undefined) markIncomplete(listed, listed.current)
    const expected = 'expected a rule, or a row of a listing: target, protocol, options, source and destination'
    return recordProblem(reader, line, 'badRow', expected)
  }
  const words = toRuleArguments(row)
  // Rows without a heading that names their chain may come from a search. Their chain then follows from the command or
  // from the words of the row.
  const command = parseRequestedTable(line.command)
  const chain = listed?.current ?? command?.chain ?? reader.chainOfWords(words)
  if (chain === undefined) return recordProblem(reader, line, 'strayLine', 'the chain of this row is unknown')
  const loose = open?.kind === 'listing' && !open.isOneChain ? open : undefined
  const block = listed ?? loose ?? openBlock(reader, line, { kind: 'listing', table: command?.table })
  if (block.gapBefore) markIncomplete(block, chain)
  if (row.inInterface === undefined) block.isPartial = true
  block.family ??= familyOf(`${row.source} ${row.destination}`)
  block.rules.push({ chain, words, at: line, afterGap: false })
}

/** Reports whether a target is abbreviated like `KUBE-SVC-67NZLRH...`, as in a narrow column. */
function isShortened(target = ''): boolean {
  return target.endsWith('..') || target.endsWith('\u2026')
}

/** Determines the family from colons (IPv6) or dots (IPv4). Undefined for host names. */
function familyOf(addresses: string): IpFamily | undefined {
  if (/:[0-9a-f]*:/.test(addresses)) return 'IPv6'
  return /\d\.\d+\.\d+\.\d/.test(addresses) ? 'IPv4' : undefined
}

/**
 * Reports whether a rule comes from another command than the open block. `iptables -S` prints all chains before the
 * rules, and prints the rules chain by chain in the same order. A chain that is new or out of order therefore starts
 * the output of another command. Hand-written rules may be in any order, but not repeated.
 */
function isOfOther(block: PastedBlock, chain: string, text: string): boolean {
  const { kind, command, declared, hasGap, isInterrupted, current } = block
  const [own, last] = [declared.get(chain), declared.get(current)]
  const isEarlier = own !== undefined && last !== undefined && own < last
  const comesBack = chain !== current && (isEarlier || block.remaining.has(chain))
  if (kind === 'save') return comesBack && isInterrupted
  const isAll = command !== undefined && command.filter === undefined && !hasGap && declared.size > 0
  if (isAll && !declared.has(chain)) return true
  const isPrinted = command !== undefined || declared.size > 0
  return comesBack && (isPrinted || block.texts.has(text))
}

/**
 * Adds a rule to the open block, which must not be a listing. If the line is truncated, the chain of the rule becomes
 * incomplete.
 */
export function addPastedRule(reader: PastedBlockParser, at: PastedLine, isLast = false): undefined {
  const open = reader.open as PastedBlock
  const { source } = at
  const uncut = withoutMarker(source)
  const isCut = uncut !== source || at.isCut === true
  // Counters may precede the rule, with or without a space.
  const text = uncut.replace(/^\[\d+:\d+\]\s*/, '')
  const tokens = tokenize(text, 0, text.length)
  const words = tokens.ok ? tokens.words : text.trim().split(/\s+/)
  const [command, name = '', ...rest] = words
  const chain = unquote(name)
  const isCutName = (isCut || isLast) && rest.length === 0
  if (chain === '' || !isPlainWord(chain) || isCutName) {
    markGap(reader)
    return recordProblem(reader, at, 'cutLine', 'the line ends before the name of the chain')
  }
  if (isOfOther(open, chain, text)) {
    openUnattributedBlock(reader, at)
    return addPastedRule(reader, at, isLast)
  }
  if (open.gapBefore) markIncomplete(open, chain)
  open.gapBefore = false
  open.current = chain
  open.remaining.add(chain)
  open.texts.add(text)
  // The last line may be truncated before its target. Any other rule may simply have no target.
  const mayBeCut = isLast && !rest.includes('-j') && !rest.includes('-g')
  if (!tokens.ok || isCut || mayBeCut) {
    markIncomplete(open, chain)
    return recordProblem(reader, at, 'cutLine', 'the line is truncated before the target of the rule')
  }
  const own = command === '-I' && rest.some((word, at) => at === 0 && /^\d+$/.test(word)) ? rest.slice(1) : rest
  if (own.some(isLeftOut)) markIncomplete(open, chain)
  open.rules.push({ chain, words: withUnknown(own), at, afterGap: open.isInterrupted })
}

/** Removes the marker `...` of a truncated line. */
function withoutMarker(source: string): string {
  const text = source.trimEnd()
  const marker = text.endsWith('\u2026') ? '\u2026' : '.'
  let end = text.length
  while (text[end - 1] === marker) end--
  const isMarked = marker === '\u2026' || text.length - end >= 3
  return isMarked ? text.slice(0, end).trimEnd() : source
}

function isLeftOut(word: string): boolean {
  return /^(?:\.{2,}|\u2026+)$/.test(word)
}

/** Adds an unknown match for the missing words of a truncated rule. */
function withUnknown(words: readonly string[]): readonly string[] {
  const known = words.filter((word) => !isLeftOut(word))
  if (known.length === words.length) return words
  const target = known.findIndex((word) => word === '-j' || word === '-g')
  const at = target < 0 ? known.length : target
  return [...known.slice(0, at), '-m', 'leftout', ...known.slice(at)]
}
