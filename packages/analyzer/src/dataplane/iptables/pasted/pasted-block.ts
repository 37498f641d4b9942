import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { IpFamily } from '@kube-rules/types'
import { createPasteProblem, type PastedLine, type PasteHints, type PasteProblemCode } from '../../netfilter/pasted.js'
import type { TextProblem } from '../../netfilter/text-problem.js'
import type { ListingColumns } from './listing-row.js'
import { parseRequestedTable, type RequestedTable } from './requested-table.js'

/** A rule as words, with its location. */
export interface PastedRule {
  readonly chain: string
  /** The words after `-A CHAIN`. */
  readonly words: readonly string[]
  readonly at: PastedLine
  /** Whether text is missing before the rule. Such a rule may belong to another table than the first rules of its block. */
  readonly afterGap: boolean
}

/** A declared chain. */
export interface PastedChain {
  readonly name: string
  readonly policy?: 'ACCEPT' | 'DROP' | undefined
  readonly afterGap: boolean
}

/**
 * The lines of the output of one command.
 * - `save`: `*TABLE` and the following lines
 * - `rules`: `-P`, `-N` and `-A` lines, or rules alone
 * - `listing`: one chain of `iptables -L`
 */
export interface PastedBlock {
  readonly kind: 'save' | 'rules' | 'listing'
  readonly at: PastedLine
  readonly command: RequestedTable | undefined
  /** The table according to a line of the block. */
  readonly table: TableName | undefined
  family: IpFamily | undefined
  readonly chains: PastedChain[]
  /** The index of each declared chain. Rules are in the order of the declared chains. */
  readonly declared: Map<string, number>
  readonly rules: PastedRule[]
  /** Chains with missing content: omitted, truncated or invalid. */
  readonly incompleteChains: Set<string>
  /** Chains that have rules so far. */
  readonly remaining: Set<string>
  /** The texts of the rules so far, without counters. */
  readonly texts: Set<string>
  /** Whether content is missing that may belong to any chain. */
  hasGap: boolean
  /** Whether so many lines are missing that the following lines may belong to another table. */
  isInterrupted: boolean
  /** Whether lines are certainly missing although no line marks the omission. */
  isTorn: boolean
  /** Whether COMMIT, or the end of a listing, was read. */
  isClosed: boolean
  /** Whether the listing omits the interfaces of rules. */
  isPartial: boolean
  /** The chain of the last line; empty if the line has no chain. */
  current: string
  /** Whether text is missing after the last line. */
  gapBefore: boolean
  columns?: ListingColumns | undefined
  hasHeading: boolean
  /** Whether the block is a listing of one chain with its name above the rows. */
  readonly isOneChain: boolean
}

export interface PastedBlocks {
  /** Whether text is missing between blocks. */
  readonly hasGapOutside: boolean
  readonly blocks: readonly PastedBlock[]
  readonly problems: readonly TextProblem<PasteProblemCode>[]
}

/** The state of the reader that finds blocks, and its results. */
export interface PastedBlockParser {
  readonly chainOfWords: PasteHints['chainOfWords']
  readonly blocks: PastedBlock[]
  readonly problems: TextProblem<PasteProblemCode>[]
  open: PastedBlock | undefined
  hasGapOutside: boolean
  /** Whether a line between blocks could not be read. It may have been the first line of the next block. */
  hasUnreadOutside: boolean
  /** A rule, or a row of a listing, that may continue on the next line. */
  unfinished: { readonly at: PastedLine; readonly isRow: boolean } | undefined
}

export function openBlock(
  reader: PastedBlockParser,
  at: PastedLine,
  more: Partial<PastedBlock> & Pick<PastedBlock, 'kind'>,
): PastedBlock {
  const command = parseRequestedTable(at.command)
  const block: PastedBlock = {
    at,
    command,
    table: undefined,
    family: at.family ?? command?.family,
    chains: [],
    declared: new Map(),
    rules: [],
    incompleteChains: new Set(),
    remaining: new Set(),
    texts: new Set(),
    hasGap: false,
    isInterrupted: false,
    isTorn: false,
    isClosed: false,
    isPartial: false,
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

/**
 * Records a gap. The missing rules belong to the chain before the gap, to the chain after the gap, and perhaps to
 * further chains. A line that could not be read does not interrupt a table.
 */
export function markGap(reader: PastedBlockParser, isInterrupted = true): undefined {
  const { open } = reader
  if (open === undefined) {
    reader.hasGapOutside = true
    return
  }
  open.hasGap = true
  open.isInterrupted ||= isInterrupted
  open.gapBefore = true
  if (open.current !== '') open.incompleteChains.add(open.current)
}

export function markIncomplete(block: PastedBlock, chain: string): void {
  block.incompleteChains.add(chain)
}

/** Closes the open block. The block is complete, except for a table of `iptables-save` without COMMIT. */
export function closeBlock(reader: PastedBlockParser, isClosed: boolean = reader.open?.kind !== 'save'): undefined {
  if (reader.open !== undefined) reader.open.isClosed = isClosed
  reader.open = undefined
}

/** Returns the block for a line with a rule: the open block if it is not a listing, otherwise a new block. */
export function continueRulesBlock(reader: PastedBlockParser, line: PastedLine): PastedBlock {
  const { open } = reader
  if (open !== undefined && open.kind !== 'listing') return open
  closeBlock(reader)
  const command = parseRequestedTable(line.command)
  // A listing consists of rows, so `-A` lines that follow a listing come from another command.
  if (command?.format === 'listing') return openUnattributedBlock(reader, line)
  return openBlock(reader, line, { kind: 'rules', table: command?.table })
}

/** Opens a block for rules of an unknown command and table. */
export function openUnattributedBlock(reader: PastedBlockParser, line: PastedLine): PastedBlock {
  closeBlock(reader)
  return openBlock(reader, line, { kind: 'rules', command: undefined, table: undefined })
}

export function declareChain(block: PastedBlock, name: string, policy: string | undefined): void {
  if (block.declared.has(name)) return
  block.declared.set(name, block.declared.size)
  const afterGap = block.isInterrupted
  block.chains.push(policy === 'ACCEPT' || policy === 'DROP' ? { name, policy, afterGap } : { name, afterGap })
}

export function recordProblem(
  reader: PastedBlockParser,
  line: PastedLine,
  code: PasteProblemCode,
  message: string,
): undefined {
  reader.problems.push(createPasteProblem(line, code, message))
}
