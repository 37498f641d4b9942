import type { Match } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { MatchStatement, Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'

/**
 * Translates a match of nft to the matches of iptables. Other matches, and comparisons with sets, become an unknown
 * match.
 */
export function translateMatch({ left, operator, right }: MatchStatement): readonly Match[] {
  const [selector] = left
  const isComparison = left.length === 1 && (operator === '==' || operator === '!=') && right.kind === 'value'
  const matches = selector && isComparison ? matchesOf(selector, right.value, operator === '!=') : undefined
  return matches ?? [{ kind: 'unknown', words: ['-m', 'nft'] }]
}

function matchesOf(selector: Selector, value: string, negated: boolean): readonly Match[] | undefined {
  switch (selector.kind) {
    case 'payload':
      return payloadMatches(selector.protocol, selector.field, value, negated)
    case 'meta':
      return metaMatches(selector.key, value, negated)
    case 'fib': {
      const side = FIB_SIDES.get(selector.flags.join(' '))
      if (side === undefined || selector.result !== 'type') return undefined
      return [{ kind: 'addrtype', side, type: value.toUpperCase(), negated }]
    }
    case 'ct':
      // nft prints a negated list of status bits as another list, without the negation.
      return selector.key === 'state' ? [{ kind: 'conntrack', states: statesOf(value), negated }] : undefined
    default:
      return undefined
  }
}

const FIB_SIDES: ReadonlyMap<string, 'source' | 'destination'> = new Map([
  ['saddr', 'source'],
  ['daddr', 'destination'],
])

function payloadMatches(
  protocol: string,
  field: string,
  value: string,
  negated: boolean,
): readonly Match[] | undefined {
  if (protocol === 'ip' || protocol === 'ip6') {
    if (field === 'saddr') return [{ kind: 'source', address: value, negated }]
    if (field === 'daddr') return [{ kind: 'destination', address: value, negated }]
    return undefined
  }
  const [first, last = first] = value.split('-').map(Number)
  if (!TRANSPORTS.includes(protocol) || first === undefined || last === undefined || !(first <= last)) return undefined
  const transport: Match = { kind: 'transport', protocol }
  if (field === 'sport') return [transport, { kind: 'sourcePort', first, last, negated }]
  if (field === 'dport') return [transport, { kind: 'destinationPort', first, last, negated }]
  return undefined
}

const TRANSPORTS: readonly string[] = ['tcp', 'udp', 'sctp']

function metaMatches(key: string, value: string, negated: boolean): readonly Match[] | undefined {
  if (key === 'l4proto') return [{ kind: 'protocol', protocol: value, negated }]
  const name = value.replace(/\*$/, '+')
  if (key === 'iifname') return [{ kind: 'inInterface', name, negated }]
  if (key === 'oifname') return [{ kind: 'outInterface', name, negated }]
  return undefined
}

/** The states of a connection in the order of iptables. */
const STATES: readonly string[] = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED', 'SNAT', 'DNAT']

function statesOf(value: string): readonly string[] {
  const given = value.toUpperCase().split(',')
  return [...STATES.filter((state) => given.includes(state)), ...given.filter((state) => !STATES.includes(state))]
}
