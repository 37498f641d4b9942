import type { Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { chainsOfElements, chainsOfRule, setsOfRule } from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { formatChainId, formatSetId, formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import type {
  LineContinuation,
  PastedLine,
  PasteHints,
  PasteNote,
  PasteReader,
  ReadPasteResult,
  SubsystemCoverage,
} from '../../netfilter/pasted.js'
import { MAX_PROBLEMS } from '../../netfilter/text-problem.js'
import { parseNftables } from '../parse/parse.js'
import type { NftablesProblemCode } from '../parse/problem.js'
import { nftablesStatesOf } from '../read.js'
import {
  countBraceBalance,
  findPastedTables,
  findTrailingComment,
  isBlockStart,
  isTableLine,
  type PastedTable,
} from './parts.js'
import { familyShownBy, type PartProblem, type ReadPart, readPart } from './read-part.js'

/** Reads excerpts of `nft list ruleset` and parts of it. */
export const nftablesPasteReader: PasteReader<NftablesState, NftablesProblemCode> = {
  begins: (line) => (isBlockStart(line) ? within(countBraceBalance(line)) : undefined),
  remarkAt: findTrailingComment,
  hasUnreadLines: ({ tables }) =>
    tables.some(({ chains }) =>
      chains.some(({ rules }) =>
        rules.some(({ statements: [first] }) => first?.kind === 'unknown' && !isTableLine(first.words.join(' '))),
      ),
    ),
  read,
}

/** Returns a continuation that accepts every line within the braces of a part, and then the next part. */
function within(depth: number): LineContinuation {
  return (line) => {
    const next = depth + countBraceBalance(line)
    if (depth <= 0)
      return isBlockStart(line) || line === '' ? within(Math.max(0, next)) : /^\}/.test(line) ? within(0) : undefined
    return within(next)
  }
}

function read(lines: readonly PastedLine[], hints: PasteHints): ReadPasteResult<NftablesState, NftablesProblemCode> {
  const { tables: heads, parts, problems: found } = findPastedTables(lines)
  const problems: PartProblem[] = [...found]
  const notes: PasteNote[] = []
  const shown = parts.find((part) => part.table === undefined && familyShownBy(part) !== undefined)
  const family = (shown && familyShownBy(shown)) ?? (hints.family === 'IPv6' ? 'ip6' : 'ip')
  const read = parts.flatMap((part) => readPart(part, { hints, family }, problems, notes) ?? [])
  const tables = new Map<string, Table>()
  for (const head of heads) if (!tables.has(formatTableId(head))) tables.set(formatTableId(head), tableOf(head, head))
  const whole = new Set<string>()
  for (const part of read) {
    const id = formatTableId(part.table)
    const isBetter = part.isWhole && !whole.has(idOf(part))
    tables.set(id, withPart(tables.get(id) ?? tableOf(part.table), { ...part, isWhole: isBetter }))
    if (part.isWhole) whole.add(idOf(part))
  }
  const all = [...tables.values()]
  const wholeTables = all.filter((table) => isCompleteTable(table, heads, read)).map(formatTableId)
  const isRulesetListed = lines.some(
    ({ command }) => command?.tool === 'nft' && command.args.includes('ruleset') && command.filter === undefined,
  )
  const isUnbroken =
    found.length === 0 && lines.every(({ kind }) => kind === 'line' || kind === 'blank' || kind === 'end')
  const coverage: SubsystemCoverage = {
    isComplete: isUnbroken && isRulesetListed && wholeTables.length === all.length,
    complete: [...wholeTables, ...whole],
    truncated: uncertainIds(read),
  }
  const states = nftablesStatesOf(all)
  return {
    states,
    coverage: Object.fromEntries(Object.keys(states).map((family) => [family, coverage])),
    problems: problems.slice(0, MAX_PROBLEMS),
    notes,
  }
}

/** Returns the ids of chains and sets that no part shows whole and with certainty, but an uncertain part shows. */
function uncertainIds(parts: readonly ReadPart[]): readonly string[] {
  const certain = new Set(parts.flatMap((part) => (part.isWhole && !part.isUncertain ? idOf(part) : [])))
  return parts.map((part) => (part.isUncertain ? idOf(part) : '')).filter((id) => id !== '' && !certain.has(id))
}

/** Returns a table with the properties of its own lines: comment and flags. */
function tableOf({ family, name }: Pick<Table, 'family' | 'name'>, head?: PastedTable): Table {
  const own = (head?.lines ?? []).map(({ source }) => source).join('\n')
  const parsed = parseNftables(`table ${family} ${name} {\n${own}\n}\n`)
  const [table] = parsed.ok ? parsed.value : []
  return table ?? { family, name, chains: [], sets: [], objects: [] }
}

function idOf({ table, chain, set }: ReadPart): string {
  if (chain !== undefined) return formatChainId(table, chain.name)
  return set === undefined ? '' : formatSetId(table, set.name)
}

/**
 * Adds a part to a table. If the table has a part with this name, the new part replaces it only if the existing part is
 * incomplete and the new part is complete.
 */
function withPart(table: Table, { chain, set, object, isWhole }: ReadPart): Table {
  return {
    ...table,
    chains: chain === undefined ? table.chains : withNamed(table.chains, chain, isWhole),
    sets: set === undefined ? table.sets : withNamed(table.sets, set, isWhole),
    objects: object === undefined ? table.objects : withNamed(table.objects, object, isWhole),
  }
}

function withNamed<T extends { readonly name: string }>(all: readonly T[], one: T, isWhole: boolean): readonly T[] {
  const at = all.findIndex(({ name }) => name === one.name)
  if (at < 0) return [...all, one]
  return isWhole ? [...all.slice(0, at), one, ...all.slice(at + 1)] : all
}

/** Reports whether a table is closed and contains every chain and set that its rules refer to. */
function isCompleteTable(table: Table, heads: readonly PastedTable[], parts: readonly ReadPart[]): boolean {
  const own = heads.filter((head) => formatTableId(head) === formatTableId(table))
  const isClosed =
    own.length === 1 &&
    own.every(
      ({ isClosed, hasGap, at }) =>
        isClosed &&
        !hasGap &&
        at.command?.filter === undefined &&
        at.command?.args.some((word) => /^(?:chain|set|map)s?$/.test(word)) !== true,
    )
  if (!isClosed || parts.some((part) => formatTableId(part.table) === formatTableId(table) && !part.isWhole))
    return false
  const chains = new Set(table.chains.map(({ name }) => name))
  const sets = new Set(table.sets.map(({ name }) => name))
  const rules = table.chains.flatMap((chain) => chain.rules)
  const isCommandKnown = own.every(({ at }) => at.command !== undefined)
  return (
    rules.flatMap(chainsOfRule).every((name) => chains.has(name)) &&
    rules.flatMap(setsOfRule).every((name) => sets.has(name)) &&
    table.sets.flatMap(({ elements }) => chainsOfElements(elements)).every((name) => chains.has(name)) &&
    // A kubelet writes tables with empty chains, and without base chains. `nft list chain` prints such a chain alike, so
    // the command has to be known.
    table.chains.some(({ base }) => base !== undefined || (rules.length === 0 && isCommandKnown))
  )
}
