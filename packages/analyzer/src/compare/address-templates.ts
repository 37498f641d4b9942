import { isLoopback, isMulticast, isUnspecified } from '@kube-rules/types/internal/ip'
import type { OwnerSlice } from '../dataplane/netfilter/parts.js'
import { isInDefaultNodePorts } from '../plan/default-node-ports.js'
import { type AddressRange, addressToNumber, rangeContains } from '../program/address-range.js'
import type { ComparisonSides } from './comparison-side.js'
import { type NormalizedTemplate, normalizeTemplate, type TemplateWords } from './normalized-template.js'

/**
 * The template of a destination: everything on both sides that packets to the destination may match, with numbers
 * instead of addresses and node ports. If two destinations have the same template, substitution of these converts the
 * rules, packets and packet classes of one destination into those of the other.
 */
export interface AddressTemplate {
  /** The text of the template. */
  readonly key: string
  /**
   * The addresses of the template, in order. Templates with the same key differ only in these addresses and in the node
   * ports.
   */
  readonly addresses: readonly string[]
  /** The node ports of the template, in order. Empty if the node ports of a state are shared content. */
  readonly nodePorts: readonly number[]
  /** The service ports that own the rules, in order. */
  readonly owners: readonly string[]
}

/**
 * Returns the template of a destination; undefined if it cannot be determined. Such a destination is compared
 * individually.
 */
export type AddressTemplateLookup = (address: string) => AddressTemplate | undefined

/** A state part (the content of one owner) on side `a` or `b`, with its index among the parts of the side. */
interface PartOfSide {
  readonly part: OwnerSlice
  readonly side: 'a' | 'b'
  readonly index: number
}

/** Maximum number of state parts per template. Destinations with more connected parts are compared individually. */
const MAX_MEMBERS = 16

export function createAddressTemplateLookup(sides: ComparisonSides): AddressTemplateLookup {
  const { a, b } = sides
  const hasPlan = a.planReadSet !== undefined || b.planReadSet !== undefined
  if (hasPlan || a.parts === undefined || b.parts === undefined) return () => undefined
  const all = [
    ...a.parts.parts.map((part, index): PartOfSide => ({ part, side: 'a', index })),
    ...b.parts.parts.map((part, index): PartOfSide => ({ part, side: 'b', index })),
  ]
  const shared = normalizeTemplate([a.parts.shared, b.parts.shared], sides.family)
  const nodePorts = new Set(all.flatMap(({ part }) => part.ports))
  const words = nodePorts.size === 0 ? {} : { nodePorts, fixed: new Set(sides.addresses) }
  const context = {
    sides,
    partsByDestination: groupByDestination(all),
    templateOf: createPartNormalizer(sides, words),
    shared,
    sharedAddresses: new Set([...shared.addresses, ...shared.otherNotations]),
    sharedNumbers: nodePorts.size === 0 ? [] : numbersIn(shared.text),
  }
  const templates = new Map<PartOfSide, AddressTemplate | undefined>()
  const templateFrom = (start: PartOfSide): AddressTemplate | undefined => {
    if (!templates.has(start)) templates.set(start, findTemplate(start, context))
    return templates.get(start)
  }
  return (address) => {
    const [first] = context.partsByDestination.get(address) ?? []
    const template = first && templateFrom(first)
    return template && { ...template, key: `${template.addresses.indexOf(address)} ${template.key}` }
  }
}

/** The content of both sides that templates are computed from. */
interface TemplateContext {
  readonly sides: ComparisonSides
  /** The parts that packets to an address or node port may match. */
  readonly partsByDestination: ReadonlyMap<string | number, readonly PartOfSide[]>
  /** Returns the normalized template of a part, with a short number in place of its text. */
  readonly templateOf: (each: PartOfSide) => NormalizedTemplate
  /** The template of the content that packets to any destination may match. */
  readonly shared: NormalizedTemplate
  /** The addresses in shared content. */
  readonly sharedAddresses: ReadonlySet<string>
  /** The numbers in the shared content that a rule may compare node ports with, in order. */
  readonly sharedNumbers: readonly number[]
}

/** Returns the numbers in a text that may be node ports, in order. */
function numbersIn(text: string): readonly number[] {
  const numbers = new Set(Array.from(text.matchAll(/0x[\da-f]+|\d+/gi), ([number]) => Number(number)))
  return [...numbers].filter(isInDefaultNodePorts).sort((x, y) => x - y)
}

function groupByDestination(all: readonly PartOfSide[]): TemplateContext['partsByDestination'] {
  const groups = new Map<string | number, PartOfSide[]>()
  for (const each of all) {
    for (const destination of [...each.part.destinations, ...each.part.ports]) {
      const existing = groups.get(destination)
      if (existing === undefined) groups.set(destination, [each])
      else if (existing.at(-1) !== each) existing.push(each)
    }
  }
  return groups
}

/**
 * Creates a memoized function that normalizes state parts and replaces each distinct text with a number. Texts are
 * long, and most are identical.
 */
function createPartNormalizer({ family }: ComparisonSides, words: TemplateWords): TemplateContext['templateOf'] {
  const known = new Map<object, NormalizedTemplate>()
  const numbers = new Map<string, number>()
  return ({ part }) => {
    const remembered = known.get(part.source)
    if (remembered !== undefined) return remembered
    const template = normalizeTemplate(part.value(), family, { ...words, names: part.names })
    const number = numbers.get(template.text) ?? numbers.size
    numbers.set(template.text, number)
    const numbered = { ...template, text: String(number) }
    known.set(part.source, numbered)
    return numbered
  }
}

/**
 * Computes the template of a part from all parts that are connected to it by common addresses or node ports, directly or
 * transitively. The connected parts are necessary because packets may match further rules after DNAT.
 */
function findTemplate(start: PartOfSide, context: TemplateContext): AddressTemplate | undefined {
  const members = new Set([start])
  const addresses = new Map<string, number>()
  const nodePorts = new Map<number, number>()
  for (const member of members) {
    const own = context.templateOf(member)
    if (own.otherNotations.length > 0) return undefined
    for (const place of [...addNumbers(own.addresses, addresses), ...addNumbers(own.nodePorts, nodePorts)]) {
      for (const other of context.partsByDestination.get(place) ?? []) members.add(other)
    }
    if (members.size > MAX_MEMBERS) return undefined
  }
  const all = [...addresses.keys()]
  if (!all.every((address) => isSubstitutable(address, context))) return undefined
  return combineTemplates([...members], { addresses, nodePorts }, context)
}

/** Numbers the places without a number, and returns them. */
function addNumbers<Place>(places: readonly Place[], numbers: Map<Place, number>): readonly Place[] {
  return places.filter((place) => {
    const isNew = !numbers.has(place)
    if (isNew) numbers.set(place, numbers.size)
    return isNew
  })
}

/** The numbers of the places in a template. */
interface PlaceNumbers {
  readonly addresses: ReadonlyMap<string, number>
  readonly nodePorts: ReadonlyMap<number, number>
}

/**
 * Reports whether an address can be replaced with another one. This is the case if it is not loopback, multicast,
 * unspecified, an address of the node, or mentioned in rules that apply to all destinations.
 */
function isSubstitutable(address: string, { sides: { addresses = [] }, sharedAddresses }: TemplateContext): boolean {
  const isSpecial = isLoopback(address) || isMulticast(address) || isUnspecified(address)
  return !isSpecial && !sharedAddresses.has(address) && !addresses.includes(address)
}

/** Combines the templates of connected parts, in the order of the states. */
function combineTemplates(
  members: readonly PartOfSide[],
  { addresses, nodePorts }: PlaceNumbers,
  { sides, templateOf, shared, sharedNumbers }: TemplateContext,
): AddressTemplate {
  const templates = members.map((member, position) => ({ ...templateOf(member), member, position }))
  const networks = new Set([...shared.networks, ...templates.flatMap((each) => each.networks)])
  const ranges = Array.from(networks).flatMap((text) => sides.rangeOf(text) ?? [])
  const facts = [
    ...Array.from(addresses.keys(), (address) => factsOf(address, ranges, sides)),
    ...Array.from(nodePorts.keys(), (port) => rankOf(port, sharedNumbers)),
  ]
  const lines = templates
    .sort((x, y) => compareParts(x.member, y.member))
    .map(({ member: { side, part }, position, text, ...own }) => {
      const ports = own.nodePorts.map((port) => `%${nodePorts.get(port)}`)
      const numbers = [...own.addresses.map((address) => addresses.get(address)), ...ports].join()
      return `${position} ${side} ${part.following} ${numbers} ${text}`
    })
  return {
    key: [facts.join(';'), ...lines].join('\n'),
    addresses: [...addresses.keys()],
    nodePorts: [...nodePorts.keys()],
    owners: members.flatMap(({ part }) => part.owners),
  }
}

function compareParts(x: PartOfSide, y: PartOfSide): number {
  return x.side === y.side ? x.index - y.index : x.side < y.side ? -1 : 1
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

/** Returns the rank of a port among numbers: ports with the same rank compare alike with each number. */
function rankOf(port: number, numbers: readonly number[]): string {
  const below = numbers.filter((number) => number < port).length
  return `${below} ${numbers.includes(port)}`
}
