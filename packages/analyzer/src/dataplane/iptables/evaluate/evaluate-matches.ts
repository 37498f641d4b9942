import type { Match, MatchKind } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { addrtypeMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/addrtype'
import { commentMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/comment'
import { conntrackMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/conntrack'
import {
  inInterfaceMatchEvaluator,
  outInterfaceMatchEvaluator,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/interface'
import { ipvsMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/ipvs'
import { markMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/mark'
import {
  destinationMatchEvaluator,
  sourceMatchEvaluator,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/network'
import { nfacctMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/nfacct'
import type {
  MatchEvaluator,
  MatchOf,
  MatchResult,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/operations'
import { physdevMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/physdev'
import { protocolMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/protocol'
import { recentMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/recent'
import { setMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/set'
import { stateMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/state'
import { statisticMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/statistic'
import {
  destinationPortMatchEvaluator,
  sourcePortMatchEvaluator,
  transportMatchEvaluator,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'
import { unknownMatchEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/unknown'
import { recordDestinationRead } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import type { HookPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import { multiplyFractions } from '@kube-rules/compiler/internal/internal/fraction'

/** All kinds of matches. */
export const MATCH_EVALUATORS: { readonly [K in MatchKind]: MatchEvaluator<MatchOf<K>> } = {
  source: sourceMatchEvaluator,
  destination: destinationMatchEvaluator,
  inInterface: inInterfaceMatchEvaluator,
  outInterface: outInterfaceMatchEvaluator,
  protocol: protocolMatchEvaluator,
  transport: transportMatchEvaluator,
  sourcePort: sourcePortMatchEvaluator,
  destinationPort: destinationPortMatchEvaluator,
  comment: commentMatchEvaluator,
  mark: markMatchEvaluator,
  conntrack: conntrackMatchEvaluator,
  state: stateMatchEvaluator,
  addrtype: addrtypeMatchEvaluator,
  statistic: statisticMatchEvaluator,
  recent: recentMatchEvaluator,
  nfacct: nfacctMatchEvaluator,
  set: setMatchEvaluator,
  physdev: physdevMatchEvaluator,
  ipvs: ipvsMatchEvaluator,
  unknown: unknownMatchEvaluator,
}

/**
 * Returns the evaluator of a match. The cast is safe because the type of the evaluator table assigns each kind of match
 * its evaluator, but the compiler cannot infer this.
 */
function evaluatorOf(match: Match): MatchEvaluator<Match> {
  return MATCH_EVALUATORS[match.kind] as unknown as MatchEvaluator<Match>
}

/**
 * Evaluates all matches of a rule. If one match is unknown and no match fails, the result is unknown, regardless of the
 * probabilities of other matches.
 */
export function evaluateMatches(matches: readonly Match[], passage: HookPacket): MatchResult {
  const order = passage.packet.readSet === undefined ? ANY_ORDER : READ_ORDER
  let result: Exclude<MatchResult, 'no'> = 'yes'
  for (const field of order) {
    for (const match of matches) {
      if (field !== undefined && dividingField(match) !== field) continue
      const next = evaluateMatch(match, passage)
      if (next === 'no') return 'no'
      result = both(result, next)
    }
  }
  return result
}

const ANY_ORDER = [undefined]

/**
 * The order of evaluation while a read set is recorded. Source matches are last, so that a rule for another destination
 * or port does not read the source. Otherwise, the rule would divide sources into classes with the same results.
 */
const READ_ORDER = ['none', 'interface', 'source'] as const

function dividingField(match: Match): (typeof READ_ORDER)[number] {
  switch (match.kind) {
    case 'inInterface':
    case 'physdev':
      return 'interface'
    case 'source':
    case 'recent':
      return 'source'
    case 'set':
      return match.directions.includes('src') ? 'source' : 'none'
    case 'addrtype':
      return match.side === 'source' ? 'source' : 'none'
    default:
      return 'none'
  }
}

function evaluateMatch(match: Match, passage: HookPacket): MatchResult {
  const { ignoresDestination, evaluate } = evaluatorOf(match)
  if (passage.packet.destinationLog === undefined || ignoresDestination === true) return evaluate(match, passage)
  return ignoresDestination?.(match) ? evaluate(match, passage) : evaluateRecorded(match, passage)
}

function evaluateRecorded(match: Match, passage: HookPacket): MatchResult {
  const { evaluate } = evaluatorOf(match)
  return recordDestinationRead(passage.packet, (packet) => evaluate(match, { ...passage, packet }))
}

function both(a: Exclude<MatchResult, 'no'>, b: Exclude<MatchResult, 'no'>): Exclude<MatchResult, 'no'> {
  if (a === 'yes') return b
  if (b === 'yes') return a
  return a === 'unknown' || b === 'unknown' ? 'unknown' : multiplyFractions(a, b)
}
