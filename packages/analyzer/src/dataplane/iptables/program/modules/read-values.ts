import { parseNumber } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import type { PortRange } from '../../../../program/program.js'
import { resolvePortNames } from '../../../netfilter/port-names.js'

export const MAX_PORT = 65535

/** A range of numbers, inclusive. */
export interface NumberRange {
  readonly first: number
  readonly last: number
}

/** Reads a number or a range (`5:10`, `5:`, `:10`). Undefined for any other text. */
export function readRange(text: string | undefined, max: number): NumberRange | undefined {
  if (text === undefined || text === ':') return undefined
  const colon = text.indexOf(':')
  const first = colon === 0 ? 0 : parseNumber(colon < 0 ? text : text.slice(0, colon), max)
  const last = colon < 0 ? first : colon === text.length - 1 ? max : parseNumber(text.slice(colon + 1), max)
  return first === undefined || last === undefined ? undefined : { first, last }
}

/** Reads a list of ports and ranges of ports, as numbers or names (`80,443,http-alt,1000:2000`). */
export function readPorts(text: string | undefined): readonly PortRange[] | undefined {
  const ranges = text?.split(',').map((port) => readRange(resolvePortNames(port), MAX_PORT))
  return ranges?.every((range) => range !== undefined) ? ranges : undefined
}

/** Reads a list of words that are all in `known`, regardless of case: `SYN,ACK`. */
export function readNames(text: string | undefined, known: readonly string[]): readonly string[] | undefined {
  const names = text?.toUpperCase().split(',')
  return names?.every((name) => known.includes(name)) ? names : undefined
}
