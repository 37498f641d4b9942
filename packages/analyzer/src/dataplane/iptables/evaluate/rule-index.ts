import type { Match, RuleBlock } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { RuleWithOwner } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { recordDestinationRead } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import { type KernelPacket, portReadSetOf } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'

/** A rule, with the block of its owner. The rule may jump to the chains of this block. */
export interface IndexedRule extends RuleWithOwner {
  readonly block?: RuleBlock | undefined
}

/** Returns the rules of a chain that may match a packet, in order. Destinations that no rule mentions share one list. */
export type RuleLookup = (packet: KernelPacket) => readonly IndexedRule[]

/** Chains with fewer rules are not indexed. */
const SMALL = 16

/**
 * Indexes rules by the individual destination address and port that they match. Rules without such a match are returned
 * for every packet. A dispatch chain has one rule for each frontend of a cluster, and a Service may have thousands of
 * ports at the same address.
 */
export function indexRules(rules: readonly IndexedRule[]): RuleLookup {
  return rules.length < SMALL ? () => rules : indexManyRules(rules)
}

function indexManyRules(rules: readonly IndexedRule[]): RuleLookup {
  const anywhere: number[] = []
  const atAddresses = new Map<string, number[]>()
  const atPorts = new Map<number, number[]>()
  const ports: (number | undefined)[] = []
  rules.forEach(({ rule }, index) => {
    const { address, port } = destinationOf(rule.matches)
    ports.push(port)
    if (address !== undefined) addToGroup(atAddresses, address, index)
    else if (port !== undefined) addToGroup(atPorts, port, index)
    else anywhere.push(index)
  })
  const all = anywhere.length === rules.length
  const unplaced = anywhere.map((index) => elementAt(rules, index))
  const atAnyPort = createLazyGetter(() => [...atPorts.values()].flat())
  const find = (packet: KernelPacket) => {
    const { destination, destinationPort, translatedBy } = packet
    // All rules are returned, because a redirect may change the destination to any address of the node.
    if (all || translatedBy === 'redirectToInterface') return rules
    const here = atAddresses.get(destination) ?? NOWHERE
    // While a read set is recorded, every rule with a port match must be evaluated, so that its port is recorded.
    const isWanted = portReadSetOf(packet) !== undefined
    const placed = isWanted
      ? [here, atAnyPort()]
      : [
          here.filter((index) => ports[index] === undefined || ports[index] === destinationPort),
          atPorts.get(destinationPort) ?? NOWHERE,
        ]
    const given = placed.filter((rules) => rules.length > 0)
    if (given.length === 0) return unplaced
    const indexes = [anywhere, ...given].reduce(mergeSorted)
    return indexes.map((index) => elementAt(rules, index))
  }
  return (packet) => recordDestinationRead(packet, find)
}

/** Merges two sorted lists that have no number in common. */
function mergeSorted(a: readonly number[], b: readonly number[]): readonly number[] {
  const merged: number[] = []
  let next = 0
  for (const number of a) {
    for (; next < b.length && elementAt(b, next) < number; next++) merged.push(elementAt(b, next))
    merged.push(number)
  }
  for (; next < b.length; next++) merged.push(elementAt(b, next))
  return merged
}

const NOWHERE: readonly number[] = []

/**
 * Returns the individual destination address and port that a rule matches. Each is undefined if the rule does not
 * require an individual value.
 */
function destinationOf(matches: readonly Match[]): {
  readonly address: string | undefined
  readonly port: number | undefined
} {
  let address: string | undefined
  let port: number | undefined
  for (const match of matches) {
    if (match.kind === 'destination' && !match.negated) {
      const single = withoutHostPrefix(match.address)
      if (!single.includes('/')) address = single
    }
    if (match.kind === 'destinationPort' && !match.negated && match.first === match.last) port = match.first
  }
  return { address, port }
}
