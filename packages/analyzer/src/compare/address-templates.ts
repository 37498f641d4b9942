import { isLoopback, isMulticast, isUnspecified } from '@kube-rules/types/internal/ip'
import type { OwnerSlice } from '../dataplane/netfilter/parts.js'
import { type AddressRange, addressToNumber, rangeContains } from '../program/address-range.js'
import type { ComparisonSides } from './comparison-side.js'
import { type NormalizedTemplate, normalizeTemplate } from './normalized-template.js'

/**
 * The template of a destination: everything on both sides that packets to the destination may match, with numbers
 * instead of addresses. If two destinations have the same template, substitution of the addresses converts the rules,
 * packets and packet classes of one destination into those of the other.
 */
export interface AddressTemplate {
  /** The text of the template. */
  readonly key: string
  /** The addresses of the template, in order. Templates with the same key differ only in these addresses. */
  readonly addresses: readonly string[]
  /** The service ports that own the rules, in order. */
  readonly owners: readonly string[]
}

/**
 * Returns the template of a destination; undefined if it cannot be determined. Such a destination is compared
 * individually.
 */
export type AddressTemplateLookup = (address: string) => AddressTemplate | undefined

/** A state part (the content of one owner) on side `a` or `b`, with a number that is unique across both sides. */
interface Numbered {
  readonly part: OwnerSlice
  readonly number: number
  readonly side: 'a' | 'b'
}

/** Maximum number of state parts per template. Destinations with more connected parts are compared individually. */
const MOST_MEMBERS = 16

export function createAddressTemplateLookup(sides: ComparisonSides): AddressTemplateLookup {
  const { a, b } = sides
  const hasPlan = a.planReadSet !== undefined || b.planReadSet !== undefined
  if (hasPlan || a.parts === undefined || b.parts === undefined) return () => undefined
  const all = [
    ...a.parts.parts.map((part, number): Numbered => ({ part, number, side: 'a' })),
    ...b.parts.parts.map((part, number): Numbered => ({ part, number: number + MANY, side: 'b' })),
  ]
  const shared = normalizeTemplate([a.parts.shared, b.parts.shared], sides.family)
  const environment = {
    sides,
    at: byPlace(all),
    textOf: createTextInterner(sides),
    shared,
    isShared: new Set([...shared.addresses, ...shared.otherNotations]),
  }
  const templates = new Map<Numbered, AddressTemplate | undefined>()
  const templateFrom = (start: Numbered): AddressTemplate | undefined => {
    if (!templates.has(start)) templates.set(start, findTemplate(start, environment))
    return templates.get(start)
  }
  return (address) => {
    const [first] = environment.at.get(address) ?? []
    const template = first && templateFrom(first)
    return template && { ...template, key: `${template.addresses.indexOf(address)} ${template.key}` }
  }
}

/** The offset of the numbers of the state parts of side `b`. It is greater than the number of state parts of side `a`. */
const MANY = 2 ** 32

interface TraceEnvironment {
  readonly sides: ComparisonSides
  readonly at: ReadonlyMap<string, readonly Numbered[]>
  /** Returns the normalized template of a part, with a short number in place of its text. */
  readonly textOf: (each: Numbered) => NormalizedTemplate
  readonly shared: NormalizedTemplate
  readonly isShared: ReadonlySet<string>
}

function byPlace(all: readonly Numbered[]): ReadonlyMap<string, readonly Numbered[]> {
  const partsByPlace = new Map<string, Numbered[]>()
  for (const each of all) {
    for (const place of each.part.destinations) {
      const existing = partsByPlace.get(place)
      if (existing === undefined) partsByPlace.set(place, [each])
      else if (existing.at(-1) !== each) existing.push(each)
    }
  }
  return partsByPlace
}

/**
 * Creates a memoized function that normalizes state parts and replaces each distinct text with a number. Texts are
 * long, and most are identical.
 */
function createTextInterner({ family }: ComparisonSides): TraceEnvironment['textOf'] {
  const known = new Map<object, NormalizedTemplate>()
  const numbers = new Map<string, number>()
  return ({ part }) => {
    const remembered = known.get(part.source)
    if (remembered !== undefined) return remembered
    const template = normalizeTemplate(part.value(), family, part.names)
    const number = numbers.get(template.text) ?? numbers.size
    numbers.set(template.text, number)
    const text = { ...template, text: String(number) }
    known.set(part.source, text)
    return text
  }
}

/**
 * Computes the template of a part from all parts that are connected to it by common addresses, directly or
 * transitively. The connected parts are necessary because packets may match further rules after DNAT.
 */
function findTemplate(start: Numbered, environment: TraceEnvironment): AddressTemplate | undefined {
  const members = new Set([start])
  const addresses = new Map<string, number>()
  for (const member of members) {
    const { addresses: own, otherNotations } = environment.textOf(member)
    if (otherNotations.length > 0) return undefined
    for (const address of own) {
      if (addresses.has(address)) continue
      addresses.set(address, addresses.size)
      for (const other of environment.at.get(address) ?? []) members.add(other)
    }
    if (members.size > MOST_MEMBERS) return undefined
  }
  const all = [...addresses.keys()]
  if (!all.every((address) => isSubstitutable(address, environment))) return undefined
  return templateOf([...members], addresses, environment)
}

/**
 * Reports whether an address can be replaced with another one. This is the case if it is not loopback, multicast,
 * unspecified, an address of the node, or mentioned in rules that apply to all destinations.
 */
function isSubstitutable(address: string, { sides: { addresses = [] }, isShared }: TraceEnvironment): boolean {
  const isSpecial = isLoopback(address) || isMulticast(address) || isUnspecified(address)
  return !isSpecial && !isShared.has(address) && !addresses.includes(address)
}

function templateOf(
  members: readonly Numbered[],
  addresses: ReadonlyMap<string, number>,
  environment: TraceEnvironment,
): AddressTemplate {
  const { sides, textOf, shared } = environment
  const texts = members.map((member) => ({ member, ...textOf(member) }))
  const networks = new Set([...shared.networks, ...texts.flatMap((each) => each.networks)])
  const ranges = Array.from(networks).flatMap((text) => sides.rangeOf(text) ?? [])
  const facts = Array.from(addresses.keys(), (address) => factsOf(address, ranges, sides))
  const inOrder = texts.map((each, index) => ({ ...each, index })).sort((x, y) => x.member.number - y.member.number)
  const template = inOrder.map(({ member: { side, part }, index, text, addresses: own }) => {
    const numbers = own.map((address) => addresses.get(address)).join()
    return `${index} ${side} ${part.following} ${numbers} ${text}`
  })
  return {
    key: [facts.join(';'), ...template].join('\n'),
    addresses: [...addresses.keys()],
    owners: members.flatMap(({ part }) => part.owners),
  }
}

/**
 * Returns the facts that distinguish an address from others: the networks that contain the address, and whether it is
 * local.
 */
function factsOf(address: string, ranges: readonly AddressRange[], { a, b, family }: ComparisonSides): string {
  const number = addressToNumber(address, family)
  const matching = ranges.flatMap((range, index) => (number !== undefined && rangeContains(range, number) ? index : []))
  return `${matching} ${a.isLocal(address)} ${b.isLocal(address)}`
}
