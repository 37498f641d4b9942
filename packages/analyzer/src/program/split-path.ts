import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { withPathAssumptions } from './assumed-locality.js'
import type { ConditionTable } from './assumptions.js'
import { createEquivalentSources } from './equivalent-sources.js'
import { conjunctionOf, evaluateAll, evaluateLiteral, type LiteralResult } from './evaluate-literal.js'
import type { NodeFacts } from './facts.js'
import { type KernelPacket, sendPacketTo } from './kernel-packet.js'
import { type Destination, type PathState, withDestinations, withSources } from './path-state.js'
import type { Literal } from './program.js'
import { readFieldsOf } from './read-fields.js'
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

/** The packets of a path with the same value of a function. */
export interface Part<T> {
  readonly path: PathState
  readonly value: T
}

/** Divides the packets of a path by the value of a function, in the order of their first packets. */
export function divide<T>(
  path: PathState,
  evaluate: (packet: KernelPacket) => T,
  keyOf: (value: T) => unknown = keyOfResult,
): readonly Part<T>[] {
  const { packet, sources, destinations } = path
  const isOneSource = sources === undefined || sources.sources.length === 1
  if (isOneSource && destinations === undefined) return [{ path, value: evaluate(packet) }]
  const evaluateAt = ({ address, port }: Address) => evaluate(sendPacketTo(packet, address, port))
  if (isOneSource) return divideDestinations(path, evaluateAt, keyOf)
  const keyOfColumns = createColumnsKey(keyOf)
  const columnsAt = ({ address, port }: Address) =>
    columnsOf(sources.sources, sendPacketTo(packet, address, port), evaluate, keyOf)
  return divideDestinations(path, columnsAt, keyOfColumns).flatMap(({ path: row, value: columns }) => {
    const [only] = columns
    if (only !== undefined && columns.length === 1) return [{ path: row, value: only.value }]
    return columns.map((column) => ({
      path: withSources(row, createEquivalentSources(column.sources, sources.ids)),
      value: column.value,
    }))
  })
}

type Address = Pick<Destination, 'address' | 'port'>

/** Divides the destinations of a path by the value of a function, in the order of their first destinations. */
export function divideDestinations<T>(
  path: PathState,
  evaluate: (destination: Address) => T,
  keyOf: (value: T) => unknown = keyOfResult,
): readonly Part<T>[] {
  const { packet, destinations } = path
  if (destinations === undefined)
    return [{ path, value: evaluate({ address: packet.destination, port: packet.destinationPort }) }]
  const parts = new Map<unknown, { readonly members: Destination[]; readonly value: T }>()
  for (const destination of destinations) {
    const value = evaluate(destination)
    const key = keyOf(value)
    const existing = parts.get(key)
    if (existing === undefined) parts.set(key, { members: [destination], value })
    else existing.members.push(destination)
  }
  return Array.from(parts.values(), ({ members, value }) => ({
    path: parts.size === 1 ? path : withDestinations(path, members),
    value,
  }))
}

function keyOfResult(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? formatFraction(value as Parameters<typeof formatFraction>[0])
    : value
}

/** The sources of packets to one destination with the same value. */
interface Column<T> {
  readonly sources: readonly string[]
  readonly value: T
}

/** Groups the sources of packets to one destination by the values of their packets. */
function columnsOf<T>(
  sources: readonly string[],
  packet: KernelPacket,
  evaluate: (packet: KernelPacket) => T,
  keyOf: (value: T) => unknown,
): readonly Column<T>[] {
  const groups = new Map<unknown, { readonly sources: string[]; readonly value: T }>()
  for (const source of sources) {
    const value = evaluate(source === packet.source ? packet : { ...packet, source })
    const key = keyOf(value)
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, { sources: [source], value })
    else existing.sources.push(source)
  }
  return [...groups.values()]
}

/** Returns a function that returns equal keys for columns with equal sources and values. */
function createColumnsKey<T>(keyOf: (value: T) => unknown): (columns: readonly Column<T>[]) => string {
  const numbers = new Map<unknown, number>()
  const numberOf = (key: unknown): number => {
    const number = numbers.get(key) ?? numbers.size
    numbers.set(key, number)
    return number
  }
  return (columns) => columns.map(({ sources, value }) => `${numberOf(keyOf(value))} ${sources.join()}`).join(';')
}

/** Reports whether packets of the path may differ in the result of a literal. */
function isDividing(literal: Literal, { sources, destinations }: PathState): boolean {
  if (sources === undefined && destinations === undefined) return false
  const { source, destination } = readFieldsOf(literal)
  return (sources !== undefined && source) || (destinations !== undefined && destination)
}

/**
 * Returns literals in the order of evaluation while reads are recorded. Those of the source come last, so that a rule
 * for another destination or port does not read the source. Otherwise, the rule would divide sources into classes with
 * the same results. The order of the literals of an instruction is computed once.
 */
function inReadOrder(literals: readonly Literal[]): readonly Literal[] {
  if (literals.length < 2) return literals
  const known = readOrders.get(literals)
  if (known !== undefined) return known
  const ordered = [0, 1, 2].flatMap((rank) => literals.filter((literal) => rankOf(literal) === rank))
  readOrders.set(literals, ordered)
  return ordered
}

const readOrders = new WeakMap<readonly Literal[], readonly Literal[]>()

function rankOf(literal: Literal): number {
  if (readFieldsOf(literal).source) return 2
  return (literal.kind === 'interface' && literal.direction === 'in') || literal.kind === 'bridged' ? 1 : 0
}
