import type { NodeState, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import { type PrintOptions, selectPrintParts } from '@kube-rules/compiler/internal/print/print'
import { type LineCache, type LineOrigin, NO_ORIGIN } from '../dataplane/netfilter/line-origin.js'
import { LINE_PRINTERS, type SubsystemLinePrinter } from './line-printers.js'
import type { PrintedLine } from './printed-line.js'
import type { RuleReference } from './view.js'

/**
 * Prints a state like `print`, line by line, with the owner and the origin of each line. Joined, the lines are
 * byte-identical to the output of `print`.
 */
export function printLines(state: NodeState, options: PrintOptions = {}): readonly PrintedLine[] {
  return createLinePrinter()(state, options)
}

/** Prints successive states, each like `printLines`. */
export type LinePrinter = typeof printLines

/**
 * Creates a printer for states that were compiled one from another (`previous`). It caches the lines of unchanged parts
 * while the parts are in use, so that the next state costs only the changes. Unchanged lines are the same objects.
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
    for (const { subsystem, heading, options: spelled } of selectPrintParts(state, options)) {
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

/** The property with the origin of a line, which provides its rules; not part of the data. */
const ORIGIN: unique symbol = Symbol('origin')

interface OriginatedLine extends Omit<PrintedLine, 'rules'> {
  readonly [ORIGIN]: LineOrigin
}

/** All lines share one getter, because there are very many lines. It computes the rules on demand. */
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
