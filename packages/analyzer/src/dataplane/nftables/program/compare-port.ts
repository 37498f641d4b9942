import { NEVER, negateLiteralIf, UNKNOWN } from '../../../program/literals.js'
import type { Literal, PortRange, Side } from '../../../program/program.js'
import { toDefaultNotation } from '../parse/component-notations.js'
import type { Comparison } from './comparison.js'
import { parseNumberRange, rangeOfOrder } from './numbers.js'

const HIGHEST_PORT = 65535

/** Lowers a comparison of a port. */
export function comparePort(side: Side, { mask, operator, keys }: Comparison): Literal {
  const ranges = keys.map(readPortRange)
  if (mask !== undefined || !ranges.every((range) => range !== undefined)) return UNKNOWN
  switch (operator) {
    case 'any':
    case 'none':
      return UNKNOWN
    case '==':
    case '!=':
      return negateLiteralIf(operator === '!=', ranges.length === 0 ? NEVER : { kind: 'port', side, ranges })
    default: {
      const [range] = ranges
      if (range === undefined || ranges.length > 1 || range.first !== range.last) return UNKNOWN
      const ordered = rangeOfOrder(operator, range.first, HIGHEST_PORT)
      return ordered === undefined ? NEVER : { kind: 'port', side, ranges: [ordered] }
    }
  }
}

/** Reads a port or a range of ports. Undefined for any other text. */
export function readPortRange(key: string): PortRange | undefined {
  const range = parseNumberRange(toDefaultNotation(key, 'inet_service'), 'inet_service')
  return range !== undefined && range.last <= HIGHEST_PORT ? range : undefined
}
