import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import {
  disjunctionOf,
  negateIf,
  type Ternary,
  toTernary,
} from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { complementOf, type Fraction, multiplyFractions } from '@kube-rules/compiler/internal/internal/fraction'
import type { IpFamily } from '@kube-rules/types'
import { type AddressRange, addressToNumber, lastAddressOfFamily, rangeContains } from './address-range.js'
import { isOfAddressType } from './address-type.js'
import type { NodeFacts } from './facts.js'
import { findElement, isClientLookup } from './find-element.js'
import { matchesInterfaceName } from './interface-name.js'
import { hasNewDestination, type KernelPacket } from './kernel-packet.js'
import type { Condition, Literal, PortRange } from './program.js'

/** The result of a literal, or the probability that it is true. */
export type LiteralResult = Ternary | Fraction

/** Decides a literal for a packet at a hook. */
export function evaluateLiteral(literal: Literal, packet: KernelPacket, hook: Hook, facts: NodeFacts): LiteralResult {
  const result = evaluateCondition(literal, packet, hook, facts)
  if (literal.negated !== true) return result
  return typeof result === 'string' ? negateIf(true, result) : complementOf(result)
}

function evaluateCondition(condition: Condition, packet: KernelPacket, hook: Hook, facts: NodeFacts): LiteralResult {
  switch (condition.kind) {
    case 'address':
      return isInOperands(condition, packet)
    case 'port': {
      const port = packet[PORT_FIELDS[condition.side]]
      return port === undefined ? isAnyPort(condition.ranges) : toTernary(isInRanges(port, condition.ranges))
    }
    case 'protocol':
      return toTernary(condition.protocols.includes(packet.protocol))
    case 'interface':
      return condition.direction === 'in'
        ? matchesInInterface(condition.name, packet, hook)
        : matchesOutInterface(condition.name, packet, hook, facts)
    case 'mark':
      return hasMark(condition, packet)
    case 'addressType':
      return isOfAnyAddressType(condition, packet, facts)
    case 'localAddress':
      return facts.isLocal(condition.address)
    case 'state':
      return toTernary(condition.states.some((state) => isInState(state, packet)))
    case 'bridged':
      return packet.bridged
    case 'sentByNode':
      return toTernary(packet.sentByNode)
    case 'lookup':
      return evaluateLookup(condition, packet, facts)
    case 'seen': {
      const seconds = facts.secondsSinceSeen(condition.list, packet.source)
      return toTernary(seconds !== undefined && seconds <= condition.seconds)
    }
    case 'virtualServer':
      return toTernary(isVirtualServer(condition, packet))
    case 'chance':
      return condition.share
    case 'all':
      return evaluateAll(condition.literals, packet, hook, facts)
    case 'always':
      return 'yes'
    case 'unknown':
      return 'unknown'
  }
}

function isOfAnyAddressType(
  { side, types }: Condition & { readonly kind: 'addressType' },
  packet: KernelPacket,
  facts: NodeFacts,
): Ternary {
  const known = side === 'source' ? withKnownSources(facts, packet) : facts
  return disjunctionOf(types.map((type) => isOfAddressType(type, packet[side], packet, known)))
}

/**
 * Returns the facts about sources. The node sends packets from its own addresses, and masquerades with them. The kernel
 * discards packets that arrive at an interface if their source is an address of the node, so a source that may be one is
 * not.
 */
function withKnownSources(facts: NodeFacts, { sentByNode, masqueraded, isSourceUnknown }: KernelPacket): NodeFacts {
  const ifUnknown = toTernary(sentByNode || masqueraded)
  return {
    ...facts,
    isLocal: (address) => {
      const known = isSourceUnknown ? 'unknown' : facts.isLocal(address)
      return known === 'unknown' ? ifUnknown : known
    },
  }
}

/**
 * Decides whether all literals are true. If one is unknown and none fails, the result is unknown, regardless of the
 * probabilities of the other literals.
 */
export function evaluateAll(
  literals: readonly Literal[],
  packet: KernelPacket,
  hook: Hook,
  facts: NodeFacts,
): LiteralResult {
  let result: Exclude<LiteralResult, 'no'> = 'yes'
  for (const literal of literals) {
    const next = evaluateLiteral(literal, packet, hook, facts)
    if (next === 'no') return 'no'
    result = conjunctionOf(result, next)
  }
  return result
}

/** Returns the result of two literals that do not fail. */
export function conjunctionOf(
  a: Exclude<LiteralResult, 'no'>,
  b: Exclude<LiteralResult, 'no'>,
): Exclude<LiteralResult, 'no'> {
  if (a === 'yes') return b
  if (b === 'yes') return a
  return a === 'unknown' || b === 'unknown' ? 'unknown' : multiplyFractions(a, b)
}

function isInOperands({ side, operands }: Condition & { readonly kind: 'address' }, packet: KernelPacket): Ternary {
  const isUnknown =
    side === 'source' ? packet.isSourceUnknown : side === 'destination' && packet.translatedBy === 'redirectToInterface'
  if (isUnknown) return operands.some(({ range }) => isWholeFamily(range, packet.family)) ? 'yes' : 'unknown'
  const address = packet[side]
  let number: bigint | undefined
  for (const { text, range } of operands) {
    if (range === undefined) {
      if (text === address) return 'yes'
      continue
    }
    number ??= addressToNumber(address, packet.family)
    if (number !== undefined && rangeContains(range, number)) return 'yes'
  }
  return 'no'
}

function isWholeFamily(range: AddressRange | undefined, family: IpFamily): boolean {
  return range?.first === 0n && range.last === lastAddressOfFamily(family)
}

function isInRanges(port: number, ranges: readonly PortRange[]): boolean {
  return ranges.some(({ first, last }) => port >= first && port <= last)
}

function hasMark({ of, value, mask }: Condition & { readonly kind: 'mark' }, packet: KernelPacket): Ternary {
  const mark = of === 'packet' ? packet.mark : packet.connectionMark
  const unknown = (of === 'packet' ? packet.unknownMark : packet.unknownConnectionMark) ?? 0
  if (((mark ^ value) & mask & ~unknown) !== 0 || (value & ~mask) !== 0) return 'no'
  return (mask & unknown) === 0 ? 'yes' : 'unknown'
}

const PORT_FIELDS = {
  source: 'sourcePort',
  destination: 'destinationPort',
  originalDestination: 'originalDestinationPort',
} as const

function isVirtualServer(
  { address, protocol, port }: Condition & { readonly kind: 'virtualServer' },
  { virtualServer }: KernelPacket,
): boolean {
  if (virtualServer === undefined) return false
  return (
    (address ?? virtualServer.address) === virtualServer.address &&
    (protocol ?? virtualServer.protocol) === virtualServer.protocol &&
    (port ?? virtualServer.port) === virtualServer.port
  )
}

/** Returns the result for an unknown port. */
function isAnyPort(ranges: readonly PortRange[]): Ternary {
  return ranges.some(({ first, last }) => first === 0 && last === 65535) ? 'yes' : 'unknown'
}

function matchesInInterface(name: string, packet: KernelPacket, hook: Hook): Ternary {
  if (hook === 'OUTPUT' || packet.inInterface === '') return 'no'
  // Only packets of the node to itself enter through `lo`, so this name can be decided even if the interface is
  // unknown.
  if (packet.inInterface === undefined) return name === 'lo' ? 'no' : 'unknown'
  return toTernary(matchesInterfaceName(name, packet.inInterface))
}

/** Routes are not modelled, so only `lo` can be decided. */
function matchesOutInterface(name: string, packet: KernelPacket, hook: Hook, facts: NodeFacts): Ternary {
  if (hook === 'PREROUTING' || hook === 'INPUT') return 'no'
  const isLocal = facts.isLocal(packet.destination)
  if (isLocal === 'yes') return toTernary(matchesInterfaceName(name, 'lo'))
  return isLocal === 'no' && name === 'lo' ? 'no' : 'unknown'
}

/** The first packet of a connection is new and valid, regardless of earlier rules, unless it is not tracked. */
function isInState(state: string, packet: KernelPacket): boolean {
  const { untracked, masqueraded } = packet
  switch (state) {
    case 'NEW':
      return !untracked
    case 'UNTRACKED':
      return untracked
    case 'DNAT':
      return !untracked && hasNewDestination(packet)
    case 'SNAT':
      return !untracked && masqueraded
    default:
      return false
  }
}

function evaluateLookup(
  { fields, elements }: Condition & { readonly kind: 'lookup' },
  packet: KernelPacket,
  facts: NodeFacts,
): Ternary {
  const set = elements()
  if (set === undefined) return 'unknown'
  const element = findElement(set, fields, packet)
  if (element !== 'none') return element === 'unknown' ? 'unknown' : 'yes'
  if (set.clientSeconds === undefined || !isClientLookup(fields)) return set.isPartlyUnknown ? 'unknown' : 'no'
  const seconds = facts.secondsSinceSeen(set.name, packet.source)
  return toTernary(seconds !== undefined && seconds < set.clientSeconds)
}
