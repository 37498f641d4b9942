import type {
  IptablesState,
  Rule,
  RuleBlock,
  Table,
  TableName,
} from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS, isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { jumpTargetsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { printChainDeclaration, printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import {
  type ListedLine,
  printListingLines,
} from '@kube-rules/compiler/internal/dataplane/iptables/print/print-listing'
import {
  formatSavedChain,
  selectSavedTables,
  sortChainsAsSaved,
} from '@kube-rules/compiler/internal/dataplane/iptables/print/print-save'
import type { RuleFormat } from '@kube-rules/compiler/internal/dataplane/iptables/print/rule-format'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { SubsystemFormatOptions } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import type { IpFamily } from '@kube-rules/types'
import { type LineCache, type LineFactory, type LineOrigin, NO_ORIGIN } from '../netfilter/line-origin.js'

/** Prints a state line by line: tables, chains and rules. Cached lines of blocks in `known` are reused. */
export function printStateLines<Line>(
  state: IptablesState,
  { format, backend, listing = {} }: SubsystemFormatOptions,
  createLine: LineFactory<Line>,
  known: LineCache,
): readonly Line[] {
  if (format === 'listing') return linesOfListing(printListingLines(state, listing), state, createLine)
  const { family } = state
  const isSave = format === 'save'
  const tables = isSave ? selectSavedTables(state, backend) : state.tables
  const lines: Line[] = []
  for (const table of tables) {
    const printing: Printing<Line> = { table, style: isSave ? 'save' : 'restore', family, createLine }
    const blocks = table.blocks.map((block) => partOf(block, printing, known))
    lines.push(createLine(`*${table.name}`, NO_ORIGIN))
    appendAll(lines, isSave ? savedLines(printing, blocks) : restoredLines(blocks))
    lines.push(createLine('COMMIT', NO_ORIGIN))
  }
  return lines
}

/** Returns the lines of a listing. A chain belongs to the owner of the block that creates it. */
function linesOfListing<Line>(
  lines: readonly ListedLine[],
  { family, tables }: IptablesState,
  createLine: LineFactory<Line>,
): readonly Line[] {
  const owners = new Map(
    tables.flatMap(({ name, blocks }) =>
      blocks.flatMap(({ owner, chains }) => chains.map((chain) => [formatChainId(name, chain), owner] as const)),
    ),
  )
  return lines.map(({ text, chain, rule: owned }) => {
    if (chain === undefined) return createLine(text, NO_ORIGIN)
    const location = formatChainId(chain.table, chain.name)
    if (owned === undefined) return createLine(text, { owner: owners.get(location) ?? '', location })
    const { rule, owner } = owned
    return createLine(text, { owner, location, rules: () => [{ location, text: printRule(rule, 'save', family) }] })
  })
}

interface Printing<Line> {
  readonly table: Table
  readonly style: RuleFormat
  readonly family: IpFamily
  readonly createLine: LineFactory<Line>
}

/** The lines of a block. */
interface Part<Line> {
  /** The table of the printed lines. Several tables may contain the same block. */
  readonly table: TableName
  readonly owner: string
  readonly chains: readonly { readonly chain: string; readonly line: Line }[]
  /** Consecutive rules of one chain. */
  readonly commands: readonly { readonly chain: string; readonly lines: Line[] }[]
}

function partOf<Line>(block: RuleBlock, printing: Printing<Line>, known: LineCache): Part<Line> {
  const { table, createLine } = printing
  const cached = known.get(block) as Part<Line> | undefined
  if (cached?.table === table.name) return cached
  const { owner } = block
  const chains = block.chains.map((chain) => {
    return {
      chain,
      line: createLine(printChainDeclaration(chain), { owner, location: formatChainId(table.name, chain) }),
    }
  })
  const commands: { chain: string; lines: Line[] }[] = []
  for (const rule of getBlockRules(block)) {
    const line = ruleLine(rule, owner, printing)
    const last = commands.at(-1)
    if (last?.chain === rule.chain) last.lines.push(line)
    else commands.push({ chain: rule.chain, lines: [line] })
  }
  const part: Part<Line> = { table: table.name, owner, chains, commands }
  known.set(block, part)
  return part
}

function ruleLine<Line>(rule: Rule, owner: string, { table, style, family, createLine }: Printing<Line>): Line {
  const location = formatChainId(table.name, rule.chain)
  const text = printRule(rule, style, family)
  const savedText = style === 'save' ? () => text : () => printRule(rule, 'save', family)
  const origin: LineOrigin = { owner, location, rules: () => [{ location, text: savedText() }] }
  return createLine(text, origin)
}

/** Returns the lines of all chains, then of all rules, block by block. */
function restoredLines<Line>(blocks: readonly Part<Line>[]): readonly Line[] {
  const lines: Line[] = []
  for (const { chains } of blocks) for (const { line } of chains) lines.push(line)
  for (const { commands } of blocks) for (const command of commands) appendAll(lines, command.lines)
  return lines
}

/** Returns the lines of all chains, then of the rules, chain by chain. */
function savedLines<Line>(printing: Printing<Line>, blocks: readonly Part<Line>[]): readonly Line[] {
  const { table, createLine } = printing
  const rules = new Map<string, Line[]>(BUILT_IN_CHAINS[table.name].map((chain) => [chain, []]))
  const own = new Map<string, { readonly owner: string; readonly line: Line }>()
  for (const { owner, chains } of blocks) {
    for (const { chain, line } of chains) {
      own.set(chain, { owner, line })
      linesOf(rules, chain)
    }
  }
  for (const chain of jumpTargetsOf(table.jumps)) linesOf(rules, chain)
  for (const rule of table.jumps) linesOf(rules, rule.chain).push(ruleLine(rule, '', printing))
  for (const { commands } of blocks) {
    for (const { chain, lines } of commands) appendAll(linesOf(rules, chain), lines)
  }
  const chains = sortChainsAsSaved(rules, table.name)
  const heads = chains.map(([chain]) => {
    const { owner = '', line } = own.get(chain) ?? {}
    if (line !== undefined && !isBuiltInChain(table.name, chain)) return line
    return createLine(formatSavedChain(table, chain), { owner, location: formatChainId(table.name, chain) })
  })
  for (const [, lines] of chains) appendAll(heads, lines)
  return heads
}

function linesOf<Line>(rules: Map<string, Line[]>, chain: string): Line[] {
  const existing = rules.get(chain)
  if (existing !== undefined) return existing
  const lines: Line[] = []
  rules.set(chain, lines)
  return lines
}
