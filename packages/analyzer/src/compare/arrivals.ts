import { isLoopback } from '@kube-rules/types/internal/ip'
import { matchesInterfaceName } from '../program/interface-name.js'
import type { Destination } from './destinations.js'

/** The origin and interface of a packet. */
export interface PacketArrival {
  readonly origin: 'node' | 'pod' | 'outside'
  readonly inInterface?: string | undefined
}

/**
 * Returns the arrivals to compare: from the node, and from the network through every interface that rules distinguish.
 * Arrivals from pods are separate if rules distinguish bridged packets. The kernel accepts no packets to loopback
 * addresses from the network.
 */
export function listCandidateArrivals(
  { address }: Destination,
  interfaces: ReadonlySet<string>,
  bridged: boolean,
): readonly PacketArrival[] {
  if (isLoopback(address)) return [{ origin: 'node' }]
  const names = [OTHER_INTERFACE, ...Array.from(interfaces, (name) => name.replace(/\+$/, '0'))]
  const origins = bridged ? (['outside', 'pod'] as const) : (['outside'] as const)
  return [{ origin: 'node' }, ...origins.flatMap((origin) => names.map((inInterface) => ({ origin, inInterface })))]
}

/** An interface name that no program uses in rules. */
const OTHER_INTERFACE = 'other0'

/** Returns a function that maps arrivals to the same result if rules do not distinguish them. */
export function createArrivalClassifier(
  interfaces: ReadonlySet<string>,
  bridged: boolean,
): (arrival: PacketArrival) => string {
  return ({ origin, inInterface }) => {
    if (inInterface === undefined) return origin
    const fitting = Array.from(interfaces).filter((name) => matchesInterfaceName(name, inInterface))
    return `${bridged ? origin : 'network'} ${fitting.sort().join(' ')}`
  }
}
