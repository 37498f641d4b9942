import type { IpFamily } from '@kube-rules/types'
import {
  type AddressOperand,
  addressToNumber,
  lastAddressOfFamily,
  numberToAddress,
  readAddressOperand,
} from '../../../program/address-range.js'
import { ALWAYS, NEVER, negateLiteralIf, UNKNOWN } from '../../../program/literals.js'
import type { Literal, Side } from '../../../program/program.js'
import type { OrderOperator, PacketScope, ValueComparison } from './comparison.js'

/** Lowers a comparison of an address. */
export function compareAddress(
  side: Side,
  { mask, operator, keys }: ValueComparison,
  { family }: PacketScope,
): Literal {
  if (operator !== '==' && operator !== '!=')
    return mask === undefined ? compareOrder(side, operator, keys, family) : UNKNOWN
  const operands = keys.map((key) => (mask === undefined ? readOperand(key, family) : maskedOperand(key, mask, family)))
  if (!operands.every((operand) => operand !== undefined)) return UNKNOWN
  return negateLiteralIf(operator === '!=', { kind: 'address', side, operands })
}

/** Reads an address, a network or a range. Undefined for any other text, such as a network with a wrong length. */
export function readOperand(key: string, family: IpFamily): AddressOperand | undefined {
  const [, length] = key.split('/')
  const bits = family === 'IPv4' ? 32 : 128
  if (length !== undefined && !(/^\d{1,3}$/.test(length) && Number(length) <= bits)) return undefined
  const operand = readAddressOperand(key, family)
  return operand?.range !== undefined && operand.range.first > operand.range.last ? undefined : operand
}

/** Returns the network of the addresses with these masked bits. Undefined if the bits are not the highest bits. */
function maskedOperand(key: string, mask: string, family: IpFamily): AddressOperand | undefined {
  const bits = addressToNumber(mask, family)
  const first = addressToNumber(key, family)
  if (bits === undefined || first === undefined) return undefined
  const size = lastAddressOfFamily(family) - bits + 1n
  const isPrefix = (size & (size - 1n)) === 0n && (first & (size - 1n)) === 0n
  if (!isPrefix) return undefined
  return readAddressOperand(`${key}-${numberToAddress(first + size - 1n, family)}`, family)
}

function compareOrder(side: Side, operator: OrderOperator, [key = '']: readonly string[], family: IpFamily): Literal {
  const number = addressToNumber(key, family)
  if (number === undefined) return UNKNOWN
  const highest = lastAddressOfFamily(family)
  const ends: Readonly<Record<OrderOperator, readonly [bigint, bigint]>> = {
    '<': [0n, number - 1n],
    '<=': [0n, number],
    '>': [number + 1n, highest],
    '>=': [number, highest],
  }
  const [first, last] = ends[operator]
  if (first > last) return NEVER
  if (first === 0n && last === highest) return ALWAYS
  const text = `${numberToAddress(first, family)}-${numberToAddress(last, family)}`
  return { kind: 'address', side, operands: [{ text, range: { first, last } }] }
}
