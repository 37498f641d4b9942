import { NEVER, negateLiteralIf, UNKNOWN } from '../../../program/literals.js'
import type { Literal, PortRange, Side } from '../../../program/program.js'
import { toDefaultNotation } from '../parse/component-notations.js'
import type { ValueComparison } from './comparison.js'
import { parseNumberRange, rangesOfOperator } from './numbers.js'

const HIGHEST_PORT = 65535

/** Lowers a comparison of a port. */
export function comparePort(side: Side, { mask, operator, keys }: ValueComparison): Literal {
  const ranges = keys.map(readPortRange)
  if (mask !== undefined || !ranges.every((range) => range !== undefined)) return UNKNOWN
  const compared = rangesOfOperator(operator, ranges, HIGHEST_PORT)
  if (compared.length === 0) return NEVER
  return negateLiteralIf(operator === '!=', { kind: 'port', side, ranges: compared })
}

/** Reads a port or a range of ports. Undefined for any other text. */
export function readPortRange(key: string): PortRange | undefined {
  const range = parseNumberRange(toDefaultNotation(key, 'inet_service'), 'inet_service')
  return range !== undefined && range.last <= HIGHEST_PORT ? range : undefined
}
