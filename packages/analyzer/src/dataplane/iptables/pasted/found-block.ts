import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { IpFamily } from '@kube-rules/types'
import { type PastedLine, type PasteHints, type PasteProblemCode, problemAt } from '../../netfilter/pasted.js'
import type { TextProblem } from '../../netfilter/text-problem.js'
import { type AskedTable, askedTable } from './asked-table.js'
import type { Columns } from './listing-row.js'

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
  /** Their names, and which of them each is: rules come in that order. */
  readonly declared: Map<string, number>
  readonly rules: FoundRule[]
  /** Chains in which something is missing: left out, cut or not to be read. */
  readonly torn: Set<string>
  /** Chains with rules so far. */
  readonly left: Set<string>
  /** Rules so far, without counters. */
  readonly texts: Set<string>
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

/** Where a reader of lines is, and what it has found. */
export interface BlockReader {
  readonly chainOfWords: PasteHints['chainOfWords']
  readonly blocks: FoundBlock[]
  readonly problems: TextProblem<PasteProblemCode>[]
  open: FoundBlock | undefined
  hasGapOutside: boolean
  /** A rule, or a row of a listing, whose line may go on in the next one. */
  unfinished: { readonly at: PastedLine; readonly isRow: boolean } | undefined
}

export function openBlock(
  reader: BlockReader,
  at: PastedLine,
  more: Partial<FoundBlock> & Pick<FoundBlock, 'kind'>,
): FoundBlock {
  const asked = askedTable(at.asked)
  const block: FoundBlock = {
    at,
    asked,
    table: undefined,
    family: at.family ?? asked?.family,
    chains: [],
    declared: new Map(),
    rules: [],
    torn: new Set(),
    left: new Set(),
    texts: new Set(),
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
export function markGap(reader: BlockReader): undefined {
  const { open } = reader
  if (open === undefined) {
    reader.hasGapOutside = true
    return
  }
  open.hasGap = true
  open.gapBefore = true
  if (open.current !== '') open.torn.add(open.current)
}

export function tear(block: FoundBlock, chain: string): void {
  block.torn.add(chain)
}

/** What is open ends here, as it should, unless it is a table: COMMIT alone closes that. */
export function close(reader: BlockReader, isClosed: boolean = reader.open?.kind !== 'save'): undefined {
  if (reader.open !== undefined) reader.open.isClosed = isClosed
  reader.open = undefined
}

/** The block that a line of rules goes on with, or a new one. */
export function rulesBlock(reader: BlockReader, line: PastedLine): FoundBlock {
  const { open } = reader
  if (open !== undefined && open.kind !== 'listing') return open
  close(reader)
  const asked = askedTable(line.asked)
  // A listing has rows: `-A` lines below one are of another run.
  if (asked?.spelling === 'listing') return openLoose(reader, line)
  return openBlock(reader, line, { kind: 'rules', table: asked?.table })
}

/** Rules of which no line says where they are from. */
export function openLoose(reader: BlockReader, line: PastedLine): FoundBlock {
  close(reader)
  return openBlock(reader, line, { kind: 'rules', asked: undefined, table: undefined })
}

export function declare(block: FoundBlock, name: string, policy: string | undefined): void {
  if (block.declared.has(name)) return
  block.declared.set(name, block.declared.size)
  const afterGap = block.hasGap
  block.chains.push(policy === 'ACCEPT' || policy === 'DROP' ? { name, policy, afterGap } : { name, afterGap })
}

export function problem(reader: BlockReader, line: PastedLine, code: PasteProblemCode, message: string): undefined {
  reader.problems.push(problemAt(line, code, message))
}
