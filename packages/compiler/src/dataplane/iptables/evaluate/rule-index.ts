import { withoutHostPrefix } from '@kube-rules/types'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { Match } from '../ast.js'
import type { OwnedRule } from '../chains.js'

/** Those rules of a chain, in their order, that may match a packet. */
export type RulesFor = (packet: KernelPacket) => readonly OwnedRule[]

/** Chains with fewer rules are looked at as a whole. */
const SMALL = 16

/**
 * Looks rules up by the one address or port that they want a packet's destination to have: dispatch chains have one for
 * each frontend of a cluster. Rules that want neither are always among those found.
 */
export function indexRules(rules: readonly OwnedRule[]): RulesFor {
  if (rules.length < SMALL) return () => rules
  const places = new Map<string, number[]>()
  rules.forEach(({ rule }, index) => {
    const key = keyOf(rule.matches)
    const known = places.get(key)
    if (known === undefined) places.set(key, [index])
    else known.push(index)
  })
  return ({ destination, destinationPort, translatedBy }) => {
    // It may have any of the node's addresses.
    if (translatedBy === 'redirectToInterface') return rules
    const found = [ANYWHERE, destination, String(destinationPort)].flatMap((key) => places.get(key) ?? [])
    return found.sort((a, b) => a - b).flatMap((index) => rules[index] ?? [])
  }
}

/** The key of rules that want no single address or port. */
const ANYWHERE = ''

/** The address or, where there is none, the port that a packet must have. */
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
