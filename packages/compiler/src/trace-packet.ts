import { familyOf, isLoopback, type Packet } from '@kube-rules/types'
import { setMembership } from './dataplane/ipset/evaluate.js'
import { iptablesStations } from './dataplane/iptables/evaluate.js'
import { ipvsStations } from './dataplane/ipvs/evaluate.js'
import type { KernelPacket } from './dataplane/netfilter/kernel-packet.js'
import type { Knowledge } from './dataplane/netfilter/knowledge.js'
import type { Truth } from './dataplane/netfilter/truth.js'
import type { NodeRules } from './node-rules.js'
import { traceWays, type Way } from './trace/trace.js'

export interface TraceOptions {
  /** The clients that session affinity remembers. Default: none. */
  readonly affinity?: readonly RememberedClient[] | undefined
}

/** A client that stays with an endpoint, in the terms of the rules that keep it there. */
export type RememberedClient =
  /** On the list of a KUBE-SEP chain, which has the chain's name. */
  | { readonly client: string; readonly list: string; readonly secondsAgo: number }
  /** Of a virtual server (`10.96.0.1:80/TCP`), with its real server (`10.244.1.1:8080`). */
  | { readonly client: string; readonly virtualServer: string; readonly realServer: string }

/**
 * The ways that the first packet of a connection may take through the rules, over the hooks of netfilter: one way for
 * each outcome, with its exact probability. Nothing is guessed: where it makes a difference what cannot be told (a match
 * that is not known, a set that is not there, whether an address is the node's own), there is a way for either case.
 *
 * Established connections, routes, other packets of the connection and rules outside of iptables and ipvs are no part
 * of it. Valid packets of plain TCP, UDP and SCTP are assumed.
 */
export function trace(rules: NodeRules, packet: Packet, options: TraceOptions = {}): readonly Way[] {
  return prepareTrace(rules, options)(packet)
}

/** `trace` for many packets: the rules are looked through once. */
export function prepareTrace(rules: NodeRules, options: TraceOptions = {}): (packet: Packet) => readonly Way[] {
  const knowledge = knowledgeOf(rules, options)
  const stations = [
    ...(rules.iptables ? iptablesStations(rules.iptables, knowledge) : []),
    ...(rules.ipvs ? ipvsStations(rules.ipvs, knowledge, rules.serverOwners) : []),
  ].sort((a, b) => a.priority - b.priority)
  return (packet) => traceWays(kernelPacket(packet), { stations, knowledge })
}

function knowledgeOf(rules: NodeRules, { affinity = [] }: TraceOptions): Knowledge {
  const own = new Set([...(rules.addresses ?? []), ...(rules.boundAddresses ?? [])])
  const otherwise = rules.addresses === undefined ? 'unknown' : 'no'
  return {
    isLocal: (address): Truth => (isLoopback(address) || own.has(address) ? 'yes' : otherwise),
    inSet: setMembership(rules.ipsets ?? { sets: [] }),
    secondsSinceSeen: (list, address) => {
      const seen = affinity.find((each) => 'list' in each && each.list === list && each.client === address)
      return seen && 'list' in seen ? seen.secondsAgo : undefined
    },
    persistentServer: (server, address) => {
      const kept = affinity.find(
        (each) => 'virtualServer' in each && each.virtualServer === server && each.client === address,
      )
      return kept && 'virtualServer' in kept ? kept.realServer : undefined
    },
  }
}

/** A packet as it comes to the first hook. */
function kernelPacket(packet: Packet): KernelPacket {
  const { origin, protocol, source, sourcePort, destination, destinationPort } = packet
  return {
    family: familyOf(destination),
    protocol: protocol.toLowerCase(),
    source,
    sourcePort,
    destination,
    destinationPort,
    inInterface: origin === 'node' ? '' : packet.inInterface,
    // Only pods may hang on a bridge.
    bridged: origin === 'pod' ? 'unknown' : 'no',
    mark: 0,
    masqueraded: false,
    destinationDecided: false,
    sourceDecided: false,
  }
}
