import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { ALWAYS, allOf, anyOf, NEVER, negate, negateLiteralIf, UNKNOWN } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import type { ComparisonOperator, MarkOwner } from './clause.js'
import type { Comparison, PacketScope, ValueComparison } from './comparison.js'
import { type NumberRange, parseNumberRange, parseTypedNumber, rangesOfOperator } from './numbers.js'

const ALL_BITS = 0xffffffff

/** A number of a packet. Bits outside `knownBits` are unknown. */
interface KnownNumber {
  readonly value: number
  readonly knownBits?: number | undefined
}

/** A comparison with numbers. With an order, the numbers that satisfy it. */
interface NumberTest {
  readonly mask: number
  readonly operator: ComparisonOperator
  readonly ranges: readonly NumberRange[]
}

function parseNumberTest({ mask, operator, keys }: Comparison, type: string): NumberTest | undefined {
  const bits = mask === undefined ? ALL_BITS : parseTypedNumber(mask, type)
  const ranges = keys.map((key) => parseNumberRange(key, type))
  return bits === undefined || !ranges.every((range) => range !== undefined)
    ? undefined
    : { mask: bits, operator, ranges: rangesOfOperator(operator, ranges, ALL_BITS) }
}

/** Lowers a comparison of a number that all first packets share. */
export function compareKnownNumber(number: KnownNumber, type: string, comparison: Comparison): Literal {
  const test = parseNumberTest(comparison, type)
  return test === undefined ? UNKNOWN : toLiteral(testNumber(number, test))
}

function toLiteral(result: Ternary): Literal {
  return result === 'yes' ? ALWAYS : result === 'no' ? NEVER : UNKNOWN
}

function testNumber(number: KnownNumber, test: NumberTest): Ternary {
  const results = test.ranges.map((range) => testRange(number, test, range))
  const result = results.includes('yes') ? 'yes' : results.includes('unknown') ? 'unknown' : 'no'
  const isNegated = test.operator === '!=' || test.operator === 'none'
  return isNegated && result !== 'unknown' ? (result === 'yes' ? 'no' : 'yes') : result
}

function testRange(
  { value, knownBits = ALL_BITS }: KnownNumber,
  { mask, operator }: NumberTest,
  range: NumberRange,
): Ternary {
  const { first, last } = range
  if (operator === 'any' || operator === 'none') {
    if ((value & knownBits & first) !== 0) return 'yes'
    return (first & ~knownBits) === 0 ? 'no' : 'unknown'
  }
  const masked = (value & mask) >>> 0
  const isKnown = (mask & ~knownBits) === 0
  if (isKnown) return masked >= first && masked <= last ? 'yes' : 'no'
  return first === last && ((masked ^ first) & knownBits) !== 0 ? 'no' : 'unknown'
}

/** The states that the first packet of a connection may have, with their bits. */
const STATES = [
  ['NEW', 0x08],
  ['UNTRACKED', 0x40],
] as const

const INVALID = 0x01

/** Lowers a comparison of the state of the connection. Each packet has exactly one state. */
export function compareState(comparison: Comparison, { stage }: PacketScope): Literal {
  const test = parseNumberTest(comparison, 'ct_state')
  if (test === undefined) return UNKNOWN
  const holds = (value: number) => testNumber({ value }, test) === 'yes'
  const states = STATES.filter(([, bit]) => holds(bit)).map(([state]) => state)
  const whenTracked = stateLiteral(states)
  if (stage === 'tracked') return whenTracked
  // Packets without a connection are invalid, if no rule has excluded them from connection tracking.
  const whenNotYet = stateLiteral([...(holds(INVALID) ? ['NEW'] : []), ...(holds(0x40) ? ['UNTRACKED'] : [])])
  if (stage === 'beforeTrackingInOutput') return whenNotYet
  const sentByNode: Literal = { kind: 'sentByNode' }
  return anyOf([allOf([sentByNode, whenTracked]), allOf([negate(sentByNode), whenNotYet])])
}

function stateLiteral(states: readonly string[]): Literal {
  if (states.length === 0) return NEVER
  return states.length === STATES.length ? ALWAYS : { kind: 'state', states }
}

/** The bits of a status that translations set: one for the translation, and one for the decision about it. */
const SNAT = 0x90
const DNAT = 0x120
const CONFIRMED = 0x08
/** The bits with known values in all packets: those above, and bits that are 0 in the first packet of a connection. */
const KNOWN_STATUS = 0x23f

const IS_DNAT: Literal = { kind: 'state', states: ['DNAT'] }
const IS_SNAT: Literal = { kind: 'state', states: ['SNAT'] }
/** A packet that the node sent to itself has passed POSTROUTING, which confirms its connection. */
const IS_CONFIRMED: Literal = { kind: 'interface', direction: 'in', name: 'lo' }

/** Lowers a comparison of the status of the connection. */
export function compareStatus(comparison: Comparison): Literal {
  const test = parseNumberTest(comparison, 'ct_status')
  if (test === undefined) return UNKNOWN
  const withBits = (value: number) => toLiteral(testNumber({ value, knownBits: KNOWN_STATUS | value }, test))
  const withConfirmed = (value: number) => chooseLiteral(IS_CONFIRMED, withBits(value | CONFIRMED), withBits(value))
  const withSnat = (value: number) => chooseLiteral(IS_SNAT, withConfirmed(value | SNAT), withConfirmed(value))
  return chooseLiteral(IS_DNAT, withSnat(DNAT), withSnat(0))
}

/** Returns the literal that equals `literal` if a condition is true, and `other` if it is false. */
function chooseLiteral(condition: Literal, literal: Literal, other: Literal): Literal {
  if (JSON.stringify(literal) === JSON.stringify(other)) return literal
  return anyOf([allOf([condition, literal]), allOf([negate(condition), other])])
}

/** Lowers a comparison of a mark. */
export function compareMark(of: MarkOwner, comparison: ValueComparison): Literal {
  const test = parseNumberTest(comparison, 'mark')
  if (test === undefined) return UNKNOWN
  const literals = test.ranges.map((range) => markInRange(of, test.mask, range))
  return negateLiteralIf(test.operator === '!=', anyOf(literals))
}

/** Returns the literal that the masked mark is in a range. */
function markInRange(of: MarkOwner, mask: number, { first, last }: NumberRange): Literal {
  if (first === last) return (first & ~mask) === 0 ? { kind: 'mark', of, value: first, mask } : NEVER
  // Numbers with the same high bits, such as those of a prefix, need no set.
  const size = last - first + 1
  if (mask === ALL_BITS && Number.isInteger(Math.log2(size)) && first % size === 0) {
    return size > ALL_BITS ? ALWAYS : { kind: 'mark', of, value: first, mask: ALL_BITS - (size - 1) }
  }
  if (mask !== ALL_BITS) return UNKNOWN
  const components = [{ kind: 'numbers', first: BigInt(first), last: BigInt(last), text: `${first}-${last}` }] as const
  const elements = {
    name: '',
    exact: new Map(),
    ranges: [{ key: `${first}-${last}`, components }],
    isPartlyUnknown: false,
  }
  return { kind: 'lookup', fields: [of === 'packet' ? 'mark' : 'connectionMark'], elements: () => elements }
}
