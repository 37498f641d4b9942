import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { Outcome } from '@kube-rules/types'
import { mapOutcomes } from '../plan/outcome-distribution.js'
import { type AddressTemplate, createAddressTemplateLookup } from './address-templates.js'
import { createPacketClassKey } from './class-key.js'
import { type DifferingPacketClass, isDifferingPacketClass, type PacketClassResult } from './classes.js'
import { type ClassSearch, enumeratePacketClasses, type PacketClassBudget } from './classes-by-port.js'
import { type ComparisonSides, createLazyTrace } from './comparison-side.js'
import type { Destination } from './destinations.js'
import { findBoundAddresses } from './sources.js'

/** The packet equivalence classes of a destination. */
export interface DestinationPacketClasses {
  /** The number of classes. */
  readonly count: number
  /** Whether these are all classes of the destination; false if the budget ran out. */
  readonly isWhole: boolean
  /** Classes that both sides may handle differently, grouped by key (`createPacketClassKey`) and equivalence. */
  readonly differing: readonly (readonly DifferingPacketClass[])[]
}

interface Model extends DestinationPacketClasses {
  readonly template: AddressTemplate
}

/**
 * Creates a function that returns the classes of each destination. If an earlier destination has the same template, its
 * classes are reused.
 */
export function createPacketClassEnumerator(
  sides: ComparisonSides,
  budget: PacketClassBudget,
): (destination: Destination) => DestinationPacketClasses {
  const bound = findBoundAddresses(sides)
  const templateAt = createAddressTemplateLookup(sides)
  const models = new Map<string, Model>()
  return (destination) => {
    const template = sides.contested?.has(destination.address) ? undefined : templateAt(destination.address)
    const model = template && models.get(template.key)
    if (template !== undefined && model !== undefined) {
      const { count, isWhole, differing } = model
      return { count, isWhole, differing: substituteDestination(differing, model.template, template, sides) }
    }
    const result = classesAt(sides, destination, { bound, budget })
    if (template === undefined) return result
    models.set(template.key, { template, ...result })
    return result
  }
}

function classesAt(sides: ComparisonSides, destination: Destination, search: ClassSearch): DestinationPacketClasses {
  const notEquivalent = new Map<string, DifferingPacketClass[]>()
  let count = 0
  enumeratePacketClasses(sides, destination, search, (packetClass) => {
    count++
    if (packetClass === undefined || !isDifferingPacketClass(packetClass)) return
    addToGroup(notEquivalent, `${packetClass.equivalence} ${createPacketClassKey(packetClass)}`, packetClass)
  })
  return { count, isWhole: search.budget.classes > 0, differing: [...notEquivalent.values()] }
}

/**
 * Derives the classes of a destination from the classes of another destination with the same template key, by
 * substitution of addresses and owners. Outcomes are substituted on demand, and only once for equivalent classes.
 */
function substituteDestination(
  all: readonly (readonly DifferingPacketClass[])[],
  from: AddressTemplate,
  to: AddressTemplate,
  sides: ComparisonSides,
): readonly (readonly DifferingPacketClass[])[] {
  const address = substitutionFor(from.addresses, to.addresses)
  const owners = new Map(from.owners.map((text, index) => [text, elementAt(to.owners, index)]))
  return all.map((equivalents) =>
    equivalents.map((packetClass) => substitutedClass(packetClass, { address, owners, sides })),
  )
}

interface Exchanges {
  readonly address: Exchange
  readonly owners: ReadonlyMap<string, string>
  readonly sides: ComparisonSides
}

function substitutedClass(packetClass: DifferingPacketClass, exchanges: Exchanges): DifferingPacketClass {
  const { address, sides } = exchanges
  const { equivalence, sourceIn, isOtherAddress, isOtherPort } = packetClass
  const source = address(packetClass.packet.source)
  const packet = { ...packetClass.packet, source, destination: address(packetClass.packet.destination) }
  return {
    equivalence,
    packet,
    sourceIn: sourceIn && withSubstitutedAddress(sourceIn, address),
    isOtherAddress,
    isOtherPort,
    origin: packetClass.origin ?? packetClass,
    a: () => substitutedSide(packetClass.a(), createLazyTrace(sides.a, packet), exchanges),
    b: () => substitutedSide(packetClass.b(), createLazyTrace(sides.b, packet), exchanges),
  }
}

function substitutedSide(
  { distribution, owners, affinitySeconds }: PacketClassResult,
  paths: PacketClassResult['paths'],
  { address, owners: others }: Exchanges,
): PacketClassResult {
  return {
    distribution: () => mapOutcomes(distribution(), (outcome) => substitutedOutcome(outcome, address)),
    owners: owners.map((owner) => others.get(owner) ?? owner),
    paths,
    affinitySeconds,
  }
}

type Exchange = (text: string) => string

/**
 * Returns a function that replaces the addresses of one template with the addresses at the same positions in the other
 * template. Addresses that occur only in `to` are mapped to those that occur only in `from`. This makes the
 * substitution a bijection.
 */
function substitutionFor(from: readonly string[], to: readonly string[]): Exchange {
  const others = new Map(from.map((text, index) => [text, elementAt(to, index)]))
  const back = new Map(to.map((text, index) => [text, elementAt(from, index)]))
  for (const text of to) {
    if (others.has(text)) continue
    let original = text
    for (let before = back.get(original); before !== undefined; before = back.get(original)) original = before
    others.set(text, original)
  }
  return (text) => others.get(text) ?? text
}

/**
 * Substitutes an address, also in the notation `10.0.0.1/32`. Other networks stay unchanged, because they are the same
 * for both destinations.
 */
function withSubstitutedAddress(text: string, exchange: Exchange): string {
  const slash = text.indexOf('/')
  return slash < 0 ? exchange(text) : exchange(text.slice(0, slash)) + text.slice(slash)
}

function substitutedOutcome(outcome: Outcome, exchange: Exchange): Outcome {
  return outcome.kind === 'delivered' ? { ...outcome, address: exchange(outcome.address) } : outcome
}
