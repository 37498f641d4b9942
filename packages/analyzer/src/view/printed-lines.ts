import type { NodeState, StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { SubsystemFormatOptions } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { type PrintOptions, selectPrintSections } from '@kube-rules/compiler/internal/print/print'
import { SUBSYSTEM_PRINTERS, type SubsystemPrinter } from '@kube-rules/compiler/internal/print/subsystem-printers'
import { findLineOrigins as originsOfAddresses } from '../dataplane/addresses/find-line-origins.js'
import { findLineOrigins as originsOfSets } from '../dataplane/ipset/find-line-origins.js'
import { printStateLines } from '../dataplane/iptables/print-state-lines.js'
import { findLineOrigins as originsOfServers } from '../dataplane/ipvs/server-lines.js'
import { type LineCache, type LineFactory, type LineOrigin, NO_ORIGIN } from '../dataplane/netfilter/line-origin.js'
import { findLineOrigins as originsOfTables } from '../dataplane/nftables/find-line-origins.js'
import type { PrintedLine } from './printed-line.js'
import type { RuleReference } from './view.js'

/** Prints the states of a subsystem line by line. */
interface SubsystemLinePrinter<State> {
  /**
   * Prints the state like `print`, and creates each line with `make`. Reuses the lines of unchanged parts that are in
   * the cache `known`. All calls with the same cache must use the same options and the same `make`.
   */
  linesOf<Line>(
    state: State,
    options: SubsystemFormatOptions,
    make: LineFactory<Line>,
    known: LineCache,
  ): readonly Line[]
}

export const LINE_PRINTERS: { readonly [S in Subsystem]: SubsystemLinePrinter<StateOf<S>> } = {
  nftables: withOrigins(SUBSYSTEM_PRINTERS.nftables, originsOfTables),
  ipset: withOrigins(SUBSYSTEM_PRINTERS.ipset, originsOfSets),
  ipvs: withOrigins(SUBSYSTEM_PRINTERS.ipvs, originsOfServers),
  addresses: withOrigins(SUBSYSTEM_PRINTERS.addresses, originsOfAddresses),
  iptables: { linesOf: printStateLines },
}

function withOrigins<State>(
  { print }: SubsystemPrinter<State>,
  originsOf: (lines: readonly string[], state: State, options: SubsystemFormatOptions) => readonly LineOrigin[],
): SubsystemLinePrinter<State> {
  return {
    linesOf: (state, options, make) =>
      splitLinesWithOrigins(print(state, options), (lines) => originsOf(lines, state, options), make),
  }
}

/**
 * Prints a state like `print`, line by line. Each line has its owner and origin. The joined lines are byte-identical to
 * the output of `print`.
 */
export function printLines(state: NodeState, options: PrintOptions = {}): readonly PrintedLine[] {
  return createLinePrinter()(state, options)
}

/** Prints successive states, each like `printLines`. */
export type LinePrinter = typeof printLines

/**
 * Creates a printer for states that were compiled one after another (with `previous`). The printer caches the printed
 * lines of each part of a state. Printing the next state takes time only for the changed parts. Unchanged lines are the
 * same objects as before.
 */
export function createLinePrinter(): LinePrinter {
  const known = new Map<string, LineCache>()
  const knownOf = (key: string): LineCache => {
    const cache = known.get(key) ?? new WeakMap()
    known.set(key, cache)
    return cache
  }
  return (state, options = {}) => {
    const all: PrintedLine[] = []
    for (const { subsystem, heading, options: spelled } of selectPrintSections(state, options)) {
      const make = (text: string, origin: LineOrigin) => printedLine(text, subsystem, origin)
      const { format, backend } = spelled
      const partly = knownOf(`${subsystem} ${format} ${backend} ${state.family}`)
      if (heading !== '') all.push(make(heading, NO_ORIGIN))
      const printer: SubsystemLinePrinter<unknown> = LINE_PRINTERS[subsystem]
      appendAll(all, printer.linesOf(state[subsystem], spelled, make, partly))
    }
    return all
  }
}

/**
 * The key of the line property with the origin of the line, from which `rules` is computed. The property has a symbol
 * as its key, so it is not part of the JSON data.
 */
const ORIGIN: unique symbol = Symbol('origin')

interface OriginatedLine extends Omit<PrintedLine, 'rules'> {
  readonly [ORIGIN]: LineOrigin
}

/**
 * The getter of the property `rules`. All lines share one getter, which computes the rules on demand, because there are
 * very many lines.
 */
const RULES: PropertyDescriptor = {
  enumerable: true,
  get(this: OriginatedLine): readonly RuleReference[] {
    const { subsystem, [ORIGIN]: origin } = this
    return origin.rules?.().map((rule) => ({ subsystem, ...rule })) ?? []
  },
}

function printedLine(text: string, subsystem: Subsystem, origin: LineOrigin): PrintedLine {
  const line = { text, subsystem, servicePort: origin.owner, location: origin.location }
  Object.defineProperty(line, ORIGIN, { value: origin })
  return Object.defineProperty(line, 'rules', RULES) as typeof line & Pick<PrintedLine, 'rules'>
}

/** Splits printed rules into lines and adds the origin of each line. */
export function splitLinesWithOrigins<Line>(
  text: string,
  originsOf: (lines: readonly string[]) => readonly LineOrigin[],
  createLine: LineFactory<Line>,
): readonly Line[] {
  if (text === '') return []
  const lines = text.replace(/\n$/, '').split('\n')
  const origins = originsOf(lines)
  return lines.map((line, index) => createLine(line, elementAt(origins, index)))
}
