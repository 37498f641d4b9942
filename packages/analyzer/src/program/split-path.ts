import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { haveSameItems } from '@kube-rules/compiler/internal/internal/have-same-items'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { withPathAssumptions } from './assumed-locality.js'
import type { ConditionTable } from './assumptions.js'
import { createEquivalentSources } from './equivalent-sources.js'
import { conjunctionOf, evaluateAll, evaluateLiteral, type LiteralResult } from './evaluate-literal.js'
import type { NodeFacts } from './facts.js'
import type { KernelPacket } from './kernel-packet.js'
import { type Destination, type PathState, withDestinations, withSources } from './path-state.js'
import type { Field, Literal } from './program.js'
import type { ReadSet } from './read-set.js'
import { recordReads } from './record-reads.js'

/** The context of a run of instructions. */
export interface RunContext {
  readonly hook: Hook
  readonly facts: NodeFacts
  /** Records what the run reads; undefined if reads are not recorded. */
  readonly reads: ReadSet | undefined
  readonly budget: Budget
  readonly conditions: ConditionTable
}

/**
 * The remaining work of a packet, shared by all of its paths. It limits the number of paths, which can become very large
 * because of unknown conditions or malicious dumps.
 */
export interface Budget {
  /** The number of further instructions that may match. */
  instructions: number
  /** The number of times that paths may still fork because of unknown conditions. */
  forks: number
}

/** The packets of a path with the same result of all literals. */
export interface Split {
  readonly path: PathState
  readonly result: LiteralResult
}

/** Divides the packets of a path by the result of literals. */
export function splitByLiterals(path: PathState, literals: readonly Literal[], run: RunContext): readonly Split[] {
  const facts = withPathAssumptions(path.assumptions, run.facts)
  const { packet } = path
  const dividing: Literal[] = []
  let common: Exclude<LiteralResult, 'no'> = 'yes'
  for (const literal of run.reads === undefined ? literals : inReadOrder(literals)) {
    if (isDividing(literal, path)) {
      dividing.push(literal)
      continue
    }
    if (run.reads !== undefined) recordReads(literal, packet, run.hook, run.reads)
    const result = evaluateLiteral(literal, packet, run.hook, facts)
    if (result === 'no') return [{ path, result }]
    common = conjunctionOf(common, result)
  }
  if (dividing.length === 0) return [{ path, result: common }]
  return divide(path, (member) => {
    if (run.reads !== undefined) for (const literal of dividing) recordReads(literal, member, run.hook, run.reads)
    const result = evaluateAll(dividing, member, run.hook, facts)
    return result === 'no' ? result : conjunctionOf(common, result)
  }).map(({ path: part, value }) => ({ path: part, result: value }))
}

/** Divides the packets of a path by the value of a function, in the order of their first packets. */
export function divide<T>(
  path: PathState,
  evaluate: (packet: KernelPacket) => T,
  keyOf: (value: T) => unknown = keyOfResult,
): readonly { readonly path: PathState; readonly value: T }[] {
  const rows = rowsOf(path, evaluate, keyOf)
  return rows.flatMap(({ path: row, columns }) => {
    const [only] = columns
    if (only !== undefined && columns.length === 1) return [{ path: row, value: only.value }]
    const ids = row.sources?.ids
    return columns.map(({ sources, value }) => ({
      path: withSources(row, createEquivalentSources(sources, ids)),
      value,
    }))
  })
}

function keyOfResult(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? formatFraction(value as Parameters<typeof formatFraction>[0])
    : value
}

interface Column<T> {
  readonly sources: readonly string[]
  readonly value: T
}

interface Row<T> {
  readonly path: PathState
  readonly columns: readonly Column<T>[]
}

/** Returns the destinations of a path, grouped by the values of all their packets. */
function rowsOf<T>(
  path: PathState,
  evaluate: (packet: KernelPacket) => T,
  keyOf: (value: T) => unknown,
): readonly Row<T>[] {
  const { packet, destinations } = path
  if (destinations === undefined) return [{ path, columns: columnsOf(path, packet, evaluate, keyOf) }]
  const rows: RowOfDestinations<T>[] = []
  const byKey = new Map<unknown, RowOfDestinations<T>>()
  for (const destination of destinations) {
    const toOne = { ...packet, destination: destination.address, destinationPort: destination.port }
    const columns = columnsOf(path, toOne, evaluate, keyOf)
    const key = columns.length === 1 ? keyOf(elementAt(columns, 0).value) : undefined
    const existing =
      columns.length === 1 ? byKey.get(key) : rows.find((row) => areColumnsEqual(row.columns, columns, keyOf))
    if (existing !== undefined) {
      existing.members.push(destination)
      continue
    }
    const row = { members: [destination], columns }
    rows.push(row)
    if (columns.length === 1) byKey.set(key, row)
  }
  return rows.map(({ members, columns }) => ({
    path: rows.length === 1 ? path : withDestinations(path, members),
    columns,
  }))
}

interface RowOfDestinations<T> {
  readonly members: Destination[]
  readonly columns: readonly Column<T>[]
}

function areColumnsEqual<T>(a: readonly Column<T>[], b: readonly Column<T>[], keyOf: (value: T) => unknown): boolean {
  if (a.length !== b.length) return false
  return a.every(({ sources, value }, at) => {
    const other = elementAt(b, at)
    return keyOf(value) === keyOf(other.value) && haveSameItems(sources, other.sources)
  })
}

/** Returns the sources of a path, grouped by the values of their packets. */
function columnsOf<T>(
  { sources }: PathState,
  packet: KernelPacket,
  evaluate: (packet: KernelPacket) => T,
  keyOf: (value: T) => unknown,
): readonly Column<T>[] {
  if (sources === undefined || sources.sources.length === 1)
    return [{ sources: [packet.source], value: evaluate(packet) }]
  const groups = new Map<unknown, { readonly sources: string[]; readonly value: T }>()
  for (const source of sources.sources) {
    const value = evaluate(source === packet.source ? packet : { ...packet, source })
    const key = keyOf(value)
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, { sources: [source], value })
    else existing.sources.push(source)
  }
  return [...groups.values()]
}

/** Reports whether packets of the path may differ in the result of a literal. */
function isDividing(literal: Literal, { sources, destinations }: PathState): boolean {
  return (sources !== undefined && readsSource(literal)) || (destinations !== undefined && readsDestination(literal))
}

function readsSource(literal: Literal): boolean {
  switch (literal.kind) {
    case 'address':
    case 'addressType':
      return literal.side === 'source'
    case 'lookup':
      return literal.fields.includes('source')
    case 'seen':
      return true
    case 'all':
      return literal.literals.some(readsSource)
    default:
      return false
  }
}

function readsDestination(literal: Literal): boolean {
  switch (literal.kind) {
    case 'address':
    case 'addressType':
    case 'port':
      return literal.side === 'destination'
    case 'interface':
      return literal.direction === 'out'
    case 'lookup':
      return literal.fields.some(isDestinationField)
    case 'all':
      return literal.literals.some(readsDestination)
    default:
      return false
  }
}

function isDestinationField(field: Field): boolean {
  return field === 'destination' || field === 'destinationPort'
}

/**
 * Returns literals in the order of evaluation while reads are recorded. Those of the source come last, so that a rule
 * for another destination or port does not read the source. Otherwise, the rule would divide sources into classes with
 * the same results.
 */
function inReadOrder(literals: readonly Literal[]): readonly Literal[] {
  if (literals.length < 2) return literals
  return [0, 1, 2].flatMap((rank) => literals.filter((literal) => rankOf(literal) === rank))
}

function rankOf(literal: Literal): number {
  if (readsSource(literal)) return 2
  return (literal.kind === 'interface' && literal.direction === 'in') || literal.kind === 'bridged' ? 1 : 0
}
