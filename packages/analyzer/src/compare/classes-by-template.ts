import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { addressToNumber, numberToAddress } from './address-range.js'
import { type AddressTemplate, createAddressTemplateLookup } from './address-templates.js'
import { createPacketClassKey } from './class-key.js'
import { type DifferingPacketClass, isDifferingPacketClass } from './classes.js'
import { enumeratePacketClasses, type PacketClassBudget } from './classes-by-port.js'
import type { ComparisonSides } from './comparison-side.js'
import type { Destination } from './destinations.js'
import type { BoundAddresses } from './sources.js'
import { substituteDestination } from './substitute.js'

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
  readonly shape: AddressTemplate
}

/**
 * Creates a function that returns the classes of each destination. If an earlier destination has the same template, its
 * classes are reused.
 */
export function createPacketClassEnumerator(
  sides: ComparisonSides,
  budget: PacketClassBudget,
): (destination: Destination) => DestinationPacketClasses {
  const bound = boundAddresses(sides)
  const shapeAt = createAddressTemplateLookup(sides)
  const models = new Map<string, Model>()
  return (destination) => {
    const shape = shapeAt(destination.address)
    const model = shape && models.get(shape.key)
    if (shape !== undefined && model !== undefined) {
      const { count, isWhole, differing } = model
      return { count, isWhole, differing: substituteDestination(differing, model.shape, shape, sides) }
    }
    const result = classesAt(sides, destination, { bound, budget })
    if (shape === undefined) return result
    models.set(shape.key, { shape, ...result })
    return result
  }
}

function classesAt(
  sides: ComparisonSides,
  destination: Destination,
  search: { readonly bound: BoundAddresses; readonly budget: PacketClassBudget },
): DestinationPacketClasses {
  const notEquivalent = new Map<string, DifferingPacketClass[]>()
  let count = 0
  enumeratePacketClasses(sides, destination, search, (packetClass) => {
    count++
    if (packetClass === undefined || !isDifferingPacketClass(packetClass)) return
    const key = `${packetClass.equivalence} ${createPacketClassKey(packetClass)}`
    const existing = notEquivalent.get(key)
    if (existing === undefined) notEquivalent.set(key, [packetClass])
    else existing.push(packetClass)
  })
  return { count, isWhole: search.budget.classes > 0, differing: [...notEquivalent.values()] }
}

/**
 * Returns the local addresses that are not of the node itself, but that a subsystem declares, such as those of
 * `kube-ipvs0`.
 */
function boundAddresses({ a, b, family, addresses = [] }: ComparisonSides): BoundAddresses {
  const own = new Set(addresses)
  const isBound = (address: string) =>
    !own.has(address) && !isLoopback(address) && [a, b].some(({ isLocal }) => isLocal(address) === 'yes')
  // The addresses are collected lazily: most compared rulesets do not match on local addresses, and there may be many.
  const sorted = createLazyGetter(() => {
    const named = new Set([...a.destinations, ...b.destinations].map(({ address }) => address))
    const numbers = Array.from(named).flatMap((address) =>
      isBound(address) ? (addressToNumber(address, family) ?? []) : [],
    )
    return numbers.sort((x, y) => (x < y ? -1 : 1))
  })
  return { has: (number) => isBound(numberToAddress(number, family)), sorted }
}
