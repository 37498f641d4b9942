import type { Outcome, Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { compare } from '../../../../analyzer/src/compare/compare.js'
import type { Difference } from '../../../../analyzer/src/compare/comparison.js'
import type { TracePath } from '../../../../analyzer/src/trace/trace-paths.js'
import { fractionToNumber, parseFraction } from '../../../src/internal/fraction.js'
import { counterexamplePairs, type Pair } from './counterexample-pairs.js'
import { ADDRESSES, HOST, type Place, SECOND_CLIENT } from './topology.js'

// Selects packets from the report of `compare`: the places of the lab can send them, and their receivers are
// distinguishable.

/** A packet with different outcomes according to `compare`. */
export interface Counterexample {
  readonly condition: string
  readonly packet: Packet
  readonly from: Place
  readonly a: Shares
  readonly b: Shares
}

/**
 * The probability of each response: `reject`, `drop`, or the place that responds. An asterisk marks a place that sees
 * an address of the node as the source instead of the address of the sender.
 */
export type Shares = ReadonlyMap<string, number>

export interface PairToTry extends Pair {
  readonly counterexamples: readonly Counterexample[]
}

/** Maximum per pair, because other pairs are more informative. */
const MAX_OF_PAIR = 6
/** Maximum number of pairs of one name. */
const MAX_OF_NAME = 2

/** Returns pairs with counterexamples that the lab can show. */
export function pairsToTry(): readonly PairToTry[] {
  const tried = new Map<string, number>()
  return counterexamplePairs().flatMap((pair) => {
    const count = tried.get(pair.name) ?? 0
    if (count === MAX_OF_NAME) return []
    const { differences } = compare(pair.a, pair.b, { addresses: pair.addresses })
    const counterexamples = differences.flatMap((difference) => shownBy(difference) ?? []).slice(0, MAX_OF_PAIR)
    if (counterexamples.length === 0) return []
    tried.set(pair.name, count + 1)
    return [{ ...pair, name: `${pair.name} (${count + 1})`, counterexamples }]
  })
}

function shownBy({ packet, condition, a, b }: Difference): Counterexample | undefined {
  const from = senderOf(packet)
  if (from === undefined || !isSentToNode(from, packet)) return undefined
  const [onA, onB] = [a, b].map(({ paths }) => sharesOf(paths, packet, from))
  if (onA === undefined || onB === undefined || isSame(onA, onB)) return undefined
  return { condition, packet, from, a: onA, b: onB }
}

function isSame(a: Shares, b: Shares): boolean {
  return a.size === b.size && [...a].every(([text, share]) => b.get(text) === share)
}

/** Unused networks beyond `other`, which responds for all of their addresses. */
export const ANSWERED_BY_OTHER = ['10.96.0.0/16', '203.0.113.0/24'] as const

const OWN: readonly string[] = (HOST.interfaces ?? []).flatMap(({ addresses }) =>
  addresses.flatMap((address) => address.split('/')[0] ?? []),
)
const PODS = ['pod1', 'pod2'] as const
/** Networks of the links; their remaining addresses are unused. */
const LINKS = /^(?:192\.0\.2|198\.18\.0|169\.254\.\d+|0\.\d+\.\d+|127\.\d+\.\d+|2[2-5]\d\.\d+\.\d+)\./

/**
 * Returns the place that can send a packet. It is never `pod3`, because its responses may bypass the node. Unused
 * sources belong to the client, or in pod networks to a pod (`addSources`).
 */
function senderOf({ origin, source, inInterface, protocol }: Packet): Place | undefined {
  if (inInterface !== undefined || origin === 'pod' || protocol === 'SCTP') return undefined
  if (origin === 'node') return source === ADDRESSES.node.IPv4 || source === '127.0.0.1' ? 'node' : undefined
  if (source === ADDRESSES.pod3.IPv4) return undefined
  const pod = PODS.find((place) => ADDRESSES[place].IPv4 === source)
  if (pod !== undefined) return pod
  if (source === ADDRESSES.client.IPv4 || source === SECOND_CLIENT.IPv4) return 'client'
  if (LINKS.test(source) || ANSWERED_BY_OTHER.some((network) => isIn(network, source))) return undefined
  return source.startsWith('10.244.') ? 'pod2' : 'client'
}

/** Reports whether the packet passes the rules of the node and its destination exists. */
function isSentToNode(from: Place, { destination, source }: Packet): boolean {
  if (isLoopback(destination)) return from === 'node'
  const place = placeAt(destination)
  return place !== undefined && destination !== source && (place !== from || place === 'node')
}

/** Returns the place that responds at an address. */
function placeAt(address: string): Place | undefined {
  if (isLoopback(address) || OWN.includes(address)) return 'node'
  const pod = (['pod1', 'pod2', 'pod3'] as const).find((place) => ADDRESSES[place].IPv4 === address)
  if (pod !== undefined) return pod
  return ANSWERED_BY_OTHER.some((network) => isIn(network, address)) ? 'other' : undefined
}

/** Reports whether a network that ends at a dot contains an address. */
function isIn(network: string, address: string): boolean {
  return address.startsWith(network.replace(/(?:\.0)+\/\d+$/, '.'))
}

/** Returns the shares; undefined if some of them are not observable. */
function sharesOf(paths: readonly TracePath[], packet: Packet, from: Place): Shares | undefined {
  const shares = new Map<string, number>()
  for (const { outcome, weight, assumptions } of paths) {
    const text = answerTo(outcome, packet, from)
    if (text === undefined || assumptions.length > 0) return undefined
    shares.set(text, (shares.get(text) ?? 0) + fractionToNumber(parseFraction(weight)))
  }
  return shares
}

function answerTo(outcome: Outcome, packet: Packet, from: Place): string | undefined {
  switch (outcome.kind) {
    case 'rejected':
      return 'reject'
    case 'dropped':
      return 'drop'
    case 'delivered':
      return seenAt(placeAt(outcome.address), outcome.masqueraded, packet, from)
    case 'unmatched':
      return outcome.to === 'node'
        ? seenAt('node', outcome.masqueraded, packet, from)
        : seenAt(placeAt(packet.destination), outcome.masqueraded, packet, from)
    default:
      return undefined
  }
}

/** Returns the place that responds, if it receives the packet with the predicted source. */
function seenAt(
  place: Place | undefined,
  masqueraded: boolean,
  { source, protocol }: Packet,
  from: Place,
): string | undefined {
  if (place === undefined) return undefined
  // A server with many addresses may respond to UDP from any of them.
  if (protocol === 'UDP' && (place === 'other' || place === 'node')) return undefined
  if (masqueraded) {
    // The source of packets from the node to itself does not show whether they were masqueraded: the address may be the
    // same.
    return from === 'node' && place === 'node' && !isLoopback(source) ? undefined : `${place}*`
  }
  // Places drop packets from their own address and from loopback addresses.
  return place !== 'node' && (place === from || isLoopback(source)) ? undefined : place
}
