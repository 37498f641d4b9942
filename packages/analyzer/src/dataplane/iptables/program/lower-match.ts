import type { Match, MatchKind, MatchOf } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isZeroCidr } from '@kube-rules/compiler/internal/dataplane/iptables/network'
import { canonicalizeProtocol } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import { ALWAYS, negateLiteralIf, UNKNOWN } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import { markLiteral, networkLiteral, portLiteral, protocolLiteral, stateLiteral } from './literals.js'
import { lowerWords } from './lower-words.js'
import { addressTypeLiteral } from './modules/address-types.js'
import { chanceLiteral } from './modules/counter-modules.js'
import { physdevLiteral } from './modules/interface-modules.js'
import { virtualServerLiteral } from './modules/ipvs.js'
import type { MatchContext } from './modules/match-module.js'
import { seenLiteral } from './modules/recent.js'

type LowerMatch<M extends Match> = (match: M, context: MatchContext) => readonly Literal[]

const MATCHES: { readonly [K in MatchKind]: LowerMatch<MatchOf<K>> } = {
  source: (match, context) => lowerNetwork('source', match, context),
  destination: (match, context) => lowerNetwork('destination', match, context),
  inInterface: ({ name, negated }) => [negateLiteralIf(negated, { kind: 'interface', direction: 'in', name })],
  outInterface: ({ name, negated }) => [negateLiteralIf(negated, { kind: 'interface', direction: 'out', name })],
  protocol: lowerProtocol,
  transport: ({ protocol }) => [protocolLiteral(protocol)],
  sourcePort: ({ negated, first, last }) => [negateLiteralIf(negated, portLiteral('source', [{ first, last }]))],
  destinationPort: ({ negated, first, last }) => [
    negateLiteralIf(negated, portLiteral('destination', [{ first, last }])),
  ],
  comment: () => [],
  mark: (match) => [negateLiteralIf(match.negated, markLiteral('packet', match))],
  conntrack: ({ states, negated }, context) => [negateLiteralIf(negated, stateLiteral(states, context))],
  state: ({ states, negated }, context) => [negateLiteralIf(negated, stateLiteral(states, context))],
  addrtype: ({ side, type, negated }, { family }) => [
    negateLiteralIf(negated, addressTypeLiteral(side, type.split(','), family)),
  ],
  statistic: ({ probability, negated }) => [negateLiteralIf(negated, chanceLiteral(probability))],
  recent: ({ name, action, seconds, negated }) => [
    negateLiteralIf(negated, action === 'set' ? ALWAYS : seenLiteral(name, seconds)),
  ],
  nfacct: () => [],
  set: ({ name, directions, negated }, { lookUpSet }) => [negateLiteralIf(negated, lookUpSet(name, directions))],
  physdev: ({ is, negated }) => [negateLiteralIf(negated, physdevLiteral(is))],
  ipvs: ({ address, protocol, port }) => [
    virtualServerLiteral({ address, protocol: canonicalizeProtocol(protocol), port }),
  ],
  unknown: ({ words }, context) => lowerWords(words, context),
}

/** Returns the conditions of a match on the first packet of a connection, in the order of the text. */
export function lowerMatch(match: Match, context: MatchContext): readonly Literal[] {
  // The type of the table assigns each kind of match its function, but the compiler cannot infer this.
  return (MATCHES[match.kind] as unknown as LowerMatch<Match>)(match, context)
}

function lowerNetwork(
  side: 'source' | 'destination',
  { address, negated }: MatchOf<'source' | 'destination'>,
  { family }: MatchContext,
): readonly Literal[] {
  if (isZeroCidr(address) && !negated) return []
  return [negateLiteralIf(negated, networkLiteral(side, withoutHostPrefix(address), family) ?? UNKNOWN)]
}

function lowerProtocol({ protocol, negated }: MatchOf<'protocol'>): readonly Literal[] {
  const name = canonicalizeProtocol(protocol)
  const literal = name === '0' || name === 'all' ? ALWAYS : protocolLiteral(name)
  return literal === ALWAYS && !negated ? [] : [negateLiteralIf(negated, literal)]
}
