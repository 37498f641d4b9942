import { parseNetwork } from '@kube-rules/compiler/internal/dataplane/iptables/network'
import type { IpFamily } from '@kube-rules/types'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import { readAddressOperand } from '../../../program/address-range.js'
import { allOf, anyOf, negate } from '../../../program/literals.js'
import type { Condition, Literal, PortRange, Side } from '../../../program/program.js'

export const SENT_BY_NODE: Literal = { kind: 'sentByNode' }
/** The node sent the packet to itself, and it has passed OUTPUT and POSTROUTING. */
export const IN_BY_LOOPBACK: Literal = { kind: 'interface', direction: 'in', name: 'lo' }

/** The place of a table relative to connection tracking. */
export interface TableStage {
  /** Whether packets pass the table before connection tracking, as they do with table raw. */
  readonly isBeforeTracking: boolean
}

/** The first packet of a connection is valid, so only NOTRACK prevents an entry in connection tracking. */
const TRACKED: Literal = { kind: 'state', states: ['UNTRACKED'], negated: true }
const TRACKED_BEFORE = allOf([IN_BY_LOOPBACK, TRACKED])

/**
 * Returns the literal that a packet has an entry in connection tracking. Before connection tracking, only a packet that
 * the node sent to itself has one, when it enters through `lo`.
 */
export function trackedLiteral({ isBeforeTracking }: TableStage): Literal {
  return isBeforeTracking ? TRACKED_BEFORE : TRACKED
}

/** Returns the literal of connection states. A packet without an entry in connection tracking is INVALID or UNTRACKED. */
export function stateLiteral(states: readonly string[], { isBeforeTracking }: TableStage): Literal {
  const literal: Literal = { kind: 'state', states }
  if (!isBeforeTracking) return literal
  const withoutEntry = anyOf([
    ...(states.includes('INVALID') ? [TRACKED] : []),
    ...(states.includes('UNTRACKED') ? [negate(TRACKED)] : []),
  ])
  return anyOf([allOf([IN_BY_LOOPBACK, literal]), allOf([negate(IN_BY_LOOPBACK), withoutEntry])])
}

const PROTOCOLS: ReadonlyMap<string, Literal> = new Map(
  ['tcp', 'udp', 'sctp'].map((name) => [name, { kind: 'protocol', protocols: [name] }]),
)

/** Returns the literal of a protocol. Very many rules share those of the transport protocols. */
export function protocolLiteral(protocol: string): Literal {
  return PROTOCOLS.get(protocol) ?? { kind: 'protocol', protocols: [protocol] }
}

/** Returns the literal of a canonical address, or of a network with more than one address. */
export function networkLiteral(side: Side, network: string, family: IpFamily): Literal | undefined {
  // Fast path: most networks are individual addresses.
  const operand = network.includes('/') ? readAddressOperand(network, family) : { text: network }
  return operand && { kind: 'address', side, operands: [operand] }
}

/** Returns the literal of an address, or of a network with a length or mask. Undefined for any other text. */
export function readNetworkLiteral(side: Side, text: string, family: IpFamily): Literal | undefined {
  const network = parseNetwork(text, family)
  return network === undefined ? undefined : networkLiteral(side, withoutHostPrefix(network), family)
}

export function portLiteral(side: Side, ranges: readonly PortRange[]): Literal {
  return { kind: 'port', side, ranges }
}

/** Returns the literal of the mark of a packet or of its connection. */
export function markLiteral(
  of: (Condition & { readonly kind: 'mark' })['of'],
  { value, mask }: { readonly value: number; readonly mask: number },
): Literal {
  return { kind: 'mark', of, value, mask }
}
