import { isLoopback, type Outcome, type Packet } from '@kube-rules/types'
import { compare } from '../../../../analyzer/src/compare/compare.js'
import type { Difference } from '../../../../analyzer/src/compare/compare-sides.js'
import type { Way } from '../../../../analyzer/src/trace/trace-ways.js'
import { fractionNumber, parseFraction } from '../../../src/internal/fraction.js'
import { counterexamplePairs, type Pair } from './counterexample-pairs.js'
import { ADDRESSES, HOST, type Place, SECOND_CLIENT } from './topology.js'

// Of what `compare` reports of two rule sets, the packets that the places of the lab can send, and whose ends can be told
// apart by who answers.

/** A packet of which `compare` says that both sides make something else of it. */
export interface Counterexample {
  readonly condition: string
  readonly packet: Packet
  readonly from: Place
  readonly a: Shares
  readonly b: Shares
}

/**
 * How likely each answer is: `reject`, `drop`, or the place that answers, with an asterisk where it sees an address of the
 * node as the source and not that of the sender.
 */
export type Shares = ReadonlyMap<string, number>

export interface PairToTry extends Pair {
  readonly counterexamples: readonly Counterexample[]
}

/** Of one pair: others tell more. */
const MOST_OF_PAIR = 6
/** So many pairs of one name are tried. */
const MOST_OF_NAME = 2

/** Pairs with counterexamples that the lab can show. */
export function pairsToTry(): readonly PairToTry[] {
  const tried = new Map<string, number>()
  return counterexamplePairs().flatMap((pair) => {
    const count = tried.get(pair.name) ?? 0
    if (count === MOST_OF_NAME) return []
    const { differences } = compare(pair.a, pair.b, { addresses: pair.addresses })
    const counterexamples = differences.flatMap((difference) => shownBy(difference) ?? []).slice(0, MOST_OF_PAIR)
    if (counterexamples.length === 0) return []
    tried.set(pair.name, count + 1)
    return [{ ...pair, name: `${pair.name} (${count + 1})`, counterexamples }]
  })
}

function shownBy({ packet, condition, a, b }: Difference): Counterexample | undefined {
  const from = senderOf(packet)
  if (from === undefined || !isSentToNode(from, packet)) return undefined
  const [onA, onB] = [a, b].map(({ ways }) => sharesOf(ways, packet, from))
  if (onA === undefined || onB === undefined || isSame(onA, onB)) return undefined
  return { condition, packet, from, a: onA, b: onB }
}

function isSame(a: Shares, b: Shares): boolean {
  return a.size === b.size && [...a].every(([text, share]) => b.get(text) === share)
}

/** Networks behind `other`, in which nobody is: it answers for all of their addresses. */
export const ANSWERED_BY_OTHER = ['10.96.0.0/16', '203.0.113.0/24'] as const

const OWN: readonly string[] = (HOST.interfaces ?? []).flatMap(({ addresses }) =>
  addresses.flatMap((address) => address.split('/')[0] ?? []),
)
const PODS = ['pod1', 'pod2'] as const
/** Networks of the links: of other addresses there, nobody is known. */
const LINKS = /^(?:192\.0\.2|198\.18\.0|169\.254\.\d+|0\.\d+\.\d+|127\.\d+\.\d+|2[2-5]\d\.\d+\.\d+)\./

/**
 * The place that can send a packet. `pod3` cannot: its packets may be answered past the node. Sources that nobody has are
 * given to the client, or where pods are, to one of these (`addSources`).
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

/** Whether the packet comes to the rules of the node, and somebody is where it is for. */
function isSentToNode(from: Place, { destination, source }: Packet): boolean {
  if (isLoopback(destination)) return from === 'node'
  const place = placeAt(destination)
  return place !== undefined && destination !== source && (place !== from || place === 'node')
}

/** Who answers at an address. */
function placeAt(address: string): Place | undefined {
  if (isLoopback(address) || OWN.includes(address)) return 'node'
  const pod = (['pod1', 'pod2', 'pod3'] as const).find((place) => ADDRESSES[place].IPv4 === address)
  if (pod !== undefined) return pod
  return ANSWERED_BY_OTHER.some((network) => isIn(network, address)) ? 'other' : undefined
}

/** Of networks that end at a dot. */
function isIn(network: string, address: string): boolean {
  return address.startsWith(network.replace(/(?:\.0)+\/\d+$/, '.'))
}

/** Undefined where some of it cannot be seen. */
function sharesOf(ways: readonly Way[], packet: Packet, from: Place): Shares | undefined {
  const shares = new Map<string, number>()
  for (const { outcome, weight, assumptions } of ways) {
    const text = answerTo(outcome, packet, from)
    if (text === undefined || assumptions.length > 0) return undefined
    shares.set(text, (shares.get(text) ?? 0) + fractionNumber(parseFraction(weight)))
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
    case 'passes':
      return outcome.to === 'node'
        ? seenAt('node', outcome.masqueraded, packet, from)
        : seenAt(placeAt(packet.destination), outcome.masqueraded, packet, from)
    default:
      return undefined
  }
}

/** A place that answers, if it gets to see the packet, and with the source that it is said to have. */
function seenAt(
  place: Place | undefined,
  masqueraded: boolean,
  { source, protocol }: Packet,
  from: Place,
): string | undefined {
  if (place === undefined) return undefined
  // A server behind many addresses answers UDP from any of them.
  if (protocol === 'UDP' && (place === 'other' || place === 'node')) return undefined
  if (masqueraded) {
    // The node's own address may be replaced by itself.
    return from === 'node' && place === 'node' && !isLoopback(source) ? undefined : `${place}*`
  }
  // What comes from an address of their own, or from loopback addresses, places drop.
  return place !== 'node' && (place === from || isLoopback(source)) ? undefined : place
}
