import { type Ternary, toTernary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { addressToNumber } from './address-range.js'
import { type Component, type Element, type Elements, joinKey, type RangeElement, splitKey } from './elements.js'
import { matchesInterfaceName } from './interface-name.js'
import type { KernelPacket } from './kernel-packet.js'
import type { Field } from './program.js'

/** Finds the element of a set or map that matches the packet; `unknown` if several may match. */
export function findElement(elements: Elements, fields: readonly Field[], packet: KernelPacket): Found {
  const found = findOwnElement(elements, fields, packet)
  return typeof found === 'object' && found.isException ? 'none' : found
}

type Found = Element | 'none' | 'unknown'

function findOwnElement({ exact, ranges }: Elements, fields: readonly Field[], packet: KernelPacket): Found {
  if (exact.size === 0 && ranges.length === 0) return 'none'
  const values = fields.map((field) => valueOfField(field, packet))
  if (!values.every((value) => value !== undefined))
    return findPossibleElement({ exact, ranges }, fields, values, packet)
  const existing = exact.get(joinKey(values))
  if (existing !== undefined) return existing
  return ranges.length === 0 ? 'none' : findRange(ranges, fields, values, packet)
}

/** Reports whether fields are those of a client: dynamic sets of kube-proxy contain the sources of packets. */
export function isClientLookup(fields: readonly Field[]): boolean {
  return fields.length === 1 && fields[0] === 'source'
}

/** Returns the value of a field in the notation of keys; undefined if it is unknown. */
export function valueOfField(field: Field, packet: KernelPacket): string | undefined {
  switch (field) {
    case 'source':
      return packet.isSourceUnknown ? undefined : packet.source
    case 'destination':
      return packet.translatedBy === 'redirectToInterface' ? undefined : packet.destination
    case 'sourcePort':
      return packet.sourcePort === undefined ? undefined : String(packet.sourcePort)
    case 'destinationPort':
      return String(packet.destinationPort)
    case 'protocol':
      return packet.protocol
    case 'originalDestination':
      return packet.originalDestination
    case 'originalDestinationPort':
      return String(packet.originalDestinationPort)
    case 'mark':
      return formatMark(packet.mark, packet.unknownMark)
    case 'connectionMark':
      return formatMark(packet.connectionMark, packet.unknownConnectionMark)
    case 'inInterface':
      return packet.inInterface
    case 'unknown':
      return undefined
  }
}

function formatMark(mark: number, unknownBits = 0): string | undefined {
  return unknownBits === 0 ? `0x${mark.toString(16).padStart(8, '0')}` : undefined
}

/** Finds the first element with ranges that contain the values. */
function findRange(
  ranges: readonly RangeElement[],
  fields: readonly Field[],
  values: readonly string[],
  packet: KernelPacket,
): Found {
  let result: 'none' | 'unknown' = 'none'
  for (const element of rangesBeginningWith(values[0] ?? '', ranges)) {
    const found = containsAll(element.components, fields, values, packet)
    if (found === 'yes') return element
    if (found === 'unknown') result = 'unknown'
  }
  return result
}

interface RangesByFirst {
  readonly byText: ReadonlyMap<string, readonly RangeElement[]>
  /** The elements with a range as first component. */
  readonly others: readonly RangeElement[]
}

const RANGES_BY_FIRST = new WeakMap<readonly RangeElement[], RangesByFirst>()

/** Returns the elements that may have a value as first component. */
function rangesBeginningWith(value: string, ranges: readonly RangeElement[]): readonly RangeElement[] {
  const { byText, others } = RANGES_BY_FIRST.get(ranges) ?? groupByFirst(ranges)
  const own = byText.get(value)
  if (own === undefined) return others
  return others.length === 0 ? own : [...own, ...others]
}

function groupByFirst(ranges: readonly RangeElement[]): RangesByFirst {
  const byText = new Map<string, RangeElement[]>()
  const others: RangeElement[] = []
  for (const element of ranges) {
    const [first] = element.components
    if (first?.kind === 'text') addToGroup(byText, first.text, element)
    else others.push(element)
  }
  RANGES_BY_FIRST.set(ranges, { byText, others })
  return { byText, others }
}

function containsAll(
  components: readonly Component[],
  fields: readonly Field[],
  values: readonly (string | undefined)[],
  packet: KernelPacket,
): Ternary {
  let result: Ternary = 'yes'
  for (let at = 0; at < fields.length; at++) {
    const contains = containsValue(components[at], fields[at] as Field, values[at], packet)
    if (contains === 'no') return 'no'
    if (contains === 'unknown') result = 'unknown'
  }
  return result
}

function containsValue(
  component: Component | undefined,
  field: Field,
  value: string | undefined,
  packet: KernelPacket,
): Ternary {
  if (component === undefined || value === undefined || component.kind === 'unknown') return 'unknown'
  if (component.kind === 'text') return toTernary(component.text === value)
  if (component.kind === 'interface') return toTernary(matchesInterfaceName(component.text, value))
  const number = numberOfValue(field, value, packet)
  return number === undefined ? 'unknown' : toTernary(number >= component.first && number <= component.last)
}

const ADDRESS_FIELDS: ReadonlySet<Field> = new Set(['source', 'destination', 'originalDestination'])

function numberOfValue(field: Field, value: string, { family }: KernelPacket): bigint | undefined {
  return ADDRESS_FIELDS.has(field) ? addressToNumber(value, family) : toNumber(value)
}

function toNumber(value: string): bigint | undefined {
  return /^(?:\d+|0x[0-9a-f]+)$/.test(value) ? BigInt(value) : undefined
}

/** Finds an element although some values are unknown: `unknown` if any element has the known values. */
function findPossibleElement(
  { exact, ranges }: Pick<Elements, 'exact' | 'ranges'>,
  fields: readonly Field[],
  values: readonly (string | undefined)[],
  packet: KernelPacket,
): 'none' | 'unknown' {
  for (const key of exact.keys()) {
    const parts = splitKey(key)
    if (values.every((value, at) => value === undefined || value === parts[at])) return 'unknown'
  }
  return rangesWith(ranges, fields, values, packet).length > 0 ? 'unknown' : 'none'
}

/** Returns the elements that may contain the values in their ranges; an undefined value may be any. */
export function rangesWith(
  ranges: readonly RangeElement[],
  fields: readonly Field[],
  values: readonly (string | undefined)[],
  packet: KernelPacket,
): readonly RangeElement[] {
  const [first] = values
  const candidates = first === undefined ? ranges : rangesBeginningWith(first, ranges)
  return candidates.filter(({ components }) => containsAll(components, fields, values, packet) !== 'no')
}
