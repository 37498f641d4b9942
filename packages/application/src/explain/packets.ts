import {
  classifySource,
  createExampleSource,
  createSourceContext,
  findNodePortAddress,
  ORIGINS,
  type PacketSource,
} from '@kube-rules/analyzer/explain'
import type { IpFamily, Origin, Packet } from '@kube-rules/types'
import { familyOf, isLoopback, parseIp } from '@kube-rules/types/internal/ip'
import { InputError, UsageError } from '../messages/errors.js'
import type { AddressDestination, Destination } from './destination.js'
import type { ExplainedFamily, ExplainedNode } from './explained-node.js'
import { describeHost } from './load-balancer-names.js'
import { findServiceAddresses, type ServiceAddress } from './service-addresses.js'

/** A packet, and the state of the node in its family. */
export interface ExplainedPacket extends ExplainedFamily {
  readonly packet: Packet
}

/**
 * Creates the packets to a destination: one from the source in `--from`, or one per possible origin.
 *
 * @throws UsageError for an invalid `--from`, InputError if required facts about the node are unknown.
 */
export function createPacketsToDestination(
  destination: Destination,
  node: ExplainedNode,
  from: string | undefined,
): readonly ExplainedPacket[] {
  return placesFrom(destination, node, from).flatMap(({ family, address, port, protocol }) => {
    const explained = node.families.find((each) => each.family === family)
    if (explained === undefined) throw new InputError(`there are no rules of ${family}`)
    return sourcesOf(explained, address, from).map((source) => ({
      ...explained,
      packet: { ...source, protocol, destination: address, destinationPort: port },
    }))
  })
}

/**
 * Returns the destinations of the packets. If the destination is a Service and `--from` is an address, returns only the
 * destinations in the family of this address. If the Service has no destination in this family, returns all
 * destinations.
 */
function placesFrom(
  destination: Destination,
  node: ExplainedNode,
  from: string | undefined,
): readonly ServiceAddress[] {
  if ('host' in destination) throw new InputError(describeHost(destination.host, node))
  if (!('name' in destination)) {
    const { port, protocol } = destination
    return [{ ...placeOf(destination, node, from), port, protocol }]
  }
  const places = findServiceAddresses(destination, node)
  const expected = from === undefined ? undefined : parseIp(from)?.family
  const fitting = places.filter(({ family }) => expected === undefined || family === expected)
  return fitting.length > 0 ? fitting : places
}

/**
 * Returns the address of a destination. For the destination `node:PORT`, returns a node address in the family of the
 * address in `--from`. If `--from` is not an address, returns a node address in the first family with a known node
 * address.
 */
function placeOf(
  { family, address }: AddressDestination,
  { families }: ExplainedNode,
  from: string | undefined,
): { readonly family: IpFamily; readonly address: string } {
  if (family !== undefined && address !== undefined) return { family, address }
  const expected = from === undefined ? undefined : parseIp(from)?.family
  const candidates = families.filter((each) => expected === undefined || each.family === expected)
  for (const { traceContext, plan } of candidates) {
    const own = findNodePortAddress(traceContext, plan)
    if (own !== undefined) return { family: familyOf(own), address: own }
  }
  throw new InputError('the address of node ports is unknown (expected ADDRESS:PORT, or --node-address)')
}

function sourcesOf(
  { family, state, traceContext, plan }: ExplainedFamily,
  destination: string,
  from: string | undefined,
): readonly PacketSource[] {
  const facts = createSourceContext(state, traceContext, plan)
  // The kernel sends packets to a loopback address from a loopback address.
  const sourceOf = (origin: Origin) =>
    origin === 'node' && isLoopback(destination)
      ? { origin, source: LOOPBACK_ADDRESSES[family] }
      : createExampleSource(origin, facts)
  if (from === undefined) return ORIGINS.flatMap((origin) => sourceOf(origin) ?? [])
  const origin = ORIGINS.find((each) => each === from)
  if (origin === undefined) return [classifySource(readSource(from, family), facts)]
  return [sourceOf(origin) ?? { origin, source: UNKNOWN_NODE_ADDRESSES[family], isSourceUnknown: true }]
}

/** Documentation addresses, which belong to no real network, as examples of an unknown address of the node. */
const UNKNOWN_NODE_ADDRESSES: Readonly<Record<IpFamily, string>> = { IPv4: '192.0.2.1', IPv6: '2001:db8::1' }

const LOOPBACK_ADDRESSES: Readonly<Record<IpFamily, string>> = { IPv4: '127.0.0.1', IPv6: '::1' }

function readSource(text: string, family: IpFamily): string {
  const ip = parseIp(text)
  if (ip === undefined) throw new UsageError(`option --from is ${text}; expected pod, node, outside or an address`)
  if (ip.family !== family)
    throw new UsageError(
      `option --from is an ${ip.family} address (${text}), but the destination is an ${family} address`,
    )
  return ip.text
}
