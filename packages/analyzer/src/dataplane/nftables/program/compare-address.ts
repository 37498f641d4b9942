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
import type { ComparisonOperator } from './clause.js'
import type { Comparison, PacketScope } from './comparison.js'

/** Lowers a comparison of an address. */
export function compareAddress(side: Side, { mask, operator, keys }: Comparison, { family }: PacketScope): Literal {
  if (operator === 'any' || operator === 'none') return UNKNOWN
  const [key = ''] = keys
  if (operator !== '==' && operator !== '!=') {
    return mask === undefined && keys.length === 1 ? compareOrder(side, operator, key, family) : UNKNOWN
  }
  const operands =
    mask === undefined ? keys.map((each) => readOperand(each, family)) : [maskedOperand(key, mask, family)]
  if (!operands.every((operand) => operand !== undefined) || (mask !== undefined && keys.length > 1)) return UNKNOWN
  return negateLiteralIf(operator === '!=', operands.length === 0 ? NEVER : { kind: 'address', side, operands })
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

type Order = Exclude<ComparisonOperator, '==' | '!=' | 'any' | 'none'>

function compareOrder(side: Side, operator: Order, key: string, family: IpFamily): Literal {
  const number = addressToNumber(key, family)
  if (number === undefined) return UNKNOWN
  const highest = lastAddressOfFamily(family)
  const ends: Readonly<Record<Order, readonly [bigint, bigint]>> = {
    '<': [0n, number - 1n],
    '<=': [0n, number],
    '>': [number + 1n, highest],
    '>=': [number, highest],
  }
  const [first, last] = ends[operator]
  if (first > last) return NEVER
  if (first === 0n && last === highest) return ALWAYS
  const text = `${numberToAddress(first, family)}-${numberToAddress(last, family)}`
  const operand = readAddressOperand(text, family)
  return operand === undefined ? UNKNOWN : { kind: 'address', side, operands: [operand] }
}
