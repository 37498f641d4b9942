import type { Block, Match } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { RuleWithOwner } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { evaluateWithDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import { type KernelPacket, portReadSetOf } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'

/** A rule that may jump to the chains of its block. */
export interface IndexedRule extends RuleWithOwner {
  readonly block?: Block | undefined
}

/**
 * Returns the rules of a chain, in order, that may match a packet. All destinations that no rule mentions share one
 * list.
 */
export type FindRules = (packet: KernelPacket) => readonly IndexedRule[]

/** Chains with fewer rules are not indexed. */
const SMALL = 16

/**
 * Indexes rules by the single address or port that they require of the destination. Dispatch chains have one rule for
 * each frontend of a cluster. Rules without such a match are always included.
 */
export function indexRules(rules: readonly IndexedRule[]): FindRules {
  if (rules.length < SMALL) return () => rules
  const places = new Map<string, number[]>()
  rules.forEach(({ rule }, index) => {
    const key = keyOf(rule.matches)
    const known = places.get(key)
    if (known === undefined) places.set(key, [index])
    else known.push(index)
  })
  const anywhere = places.get(ANYWHERE) ?? NOWHERE
  const all = anywhere.length === rules.length
  const unplaced = anywhere.map((index) => elementAt(rules, index))
  const atAnyPort = createLazyGetter(() => [...places].flatMap(([key, found]) => (/^\d+$/.test(key) ? found : [])))
  const find = (packet: KernelPacket) => {
    // The destination of a redirected packet may be any address of the node.
    if (all || packet.translatedBy === 'redirectToInterface') return rules
    const there = places.get(packet.destination) ?? NOWHERE
    // While a read set is recorded, every rule with a port match must be evaluated.
    const isWanted = portReadSetOf(packet) !== undefined
    const atPort = isWanted ? atAnyPort() : (places.get(String(packet.destinationPort)) ?? NOWHERE)
    if (there.length === 0 && atPort.length === 0) return unplaced
    const found = [...anywhere, ...there, ...atPort].sort((a, b) => a - b)
    return found.map((index) => elementAt(rules, index))
  }
  return (packet) => evaluateWithDestination(packet, find)
}

/** The key of rules without a single address or port. */
const ANYWHERE = ''
const NOWHERE: readonly number[] = []

/** Returns the required destination address or, if there is none, the required port. */
function keyOf(matches: readonly Match[]): string {
  let port = ANYWHERE
  for (const match of matches) {
    if (match.kind === 'destination' && !match.negated) {
      const address = withoutHostPrefix(match.address)
      if (!address.includes('/')) return address
    }
    if (match.kind === 'destinationPort' && !match.negated && match.first === match.last) port = String(match.first)
  }
  return port
}
