import type { Match, MatchKind } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { addrtypeEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/addrtype'
import { commentEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/comment'
import { conntrackEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/conntrack'
import {
  inInterfaceEvaluator,
  outInterfaceEvaluator,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/interface'
import { ipvsEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/ipvs'
import { markEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/mark'
import { destinationEvaluator, sourceEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/network'
import { nfacctEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/nfacct'
import type {
  MatchEvaluator,
  MatchOf,
  MatchResult,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/operations'
import { physdevEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/physdev'
import { protocolEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/protocol'
import { recentEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/recent'
import { setEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/set'
import { stateEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/state'
import { statisticEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/statistic'
import {
  destinationPortEvaluator,
  sourcePortEvaluator,
  transportEvaluator,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'
import { unknownEvaluator } from '@kube-rules/compiler/internal/dataplane/iptables/matches/unknown'
import { recordDestinationRead } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import type { HookPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import { multiplyFractions } from '@kube-rules/compiler/internal/internal/fraction'

/** All kinds of matches. */
export const MATCH_EVALUATORS: { readonly [K in MatchKind]: MatchEvaluator<MatchOf<K>> } = {
  source: sourceEvaluator,
  destination: destinationEvaluator,
  inInterface: inInterfaceEvaluator,
  outInterface: outInterfaceEvaluator,
  protocol: protocolEvaluator,
  transport: transportEvaluator,
  sourcePort: sourcePortEvaluator,
  destinationPort: destinationPortEvaluator,
  comment: commentEvaluator,
  mark: markEvaluator,
  conntrack: conntrackEvaluator,
  state: stateEvaluator,
  addrtype: addrtypeEvaluator,
  statistic: statisticEvaluator,
  recent: recentEvaluator,
  nfacct: nfacctEvaluator,
  set: setEvaluator,
  physdev: physdevEvaluator,
  ipvs: ipvsEvaluator,
  unknown: unknownEvaluator,
}

/** Returns the evaluator of a match. The cast is safe by the type of the table, but the compiler cannot infer it. */
function evaluatorOf(match: Match): MatchEvaluator<Match> {
  return MATCH_EVALUATORS[match.kind] as unknown as MatchEvaluator<Match>
}

/** Evaluates all matches of a rule. If one is unknown, probabilities of the rest are irrelevant. */
export function evaluateMatches(matches: readonly Match[], passage: HookPacket): MatchResult {
  if (passage.packet.readSet === undefined) return evaluateAll(matches, passage)
  let result: MatchResult = 'yes'
  for (const field of READ_ORDER) {
    const own = matches.filter((match) => dividingField(match) === field)
    const next = evaluateAll(own, passage)
    if (next === 'no') return 'no'
    result = both(result, next)
  }
  return result
}

/**
 * The order of matches while a read set is recorded: a rule for another destination or port does not read the source.
 * Otherwise it would divide sources into classes with equal results.
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

function evaluateAll(matches: readonly Match[], passage: HookPacket): MatchResult {
  let result: Exclude<MatchResult, 'no'> = 'yes'
  for (const match of matches) {
    const next = evaluateMatch(match, passage)
    if (next === 'no') return 'no'
    result = both(result, next)
  }
  return result
}

function evaluateMatch(match: Match, passage: HookPacket): MatchResult {
  const { ignoresDestination, evaluate } = evaluatorOf(match)
  if (passage.packet.destinationLog === undefined || ignoresDestination === true) return evaluate(match, passage)
  if (ignoresDestination?.(match)) return evaluate(match, passage)
  return recordDestinationRead(passage.packet, (packet) => evaluate(match, { ...passage, packet }))
}

function both(a: Exclude<MatchResult, 'no'>, b: Exclude<MatchResult, 'no'>): Exclude<MatchResult, 'no'> {
  if (a === 'yes') return b
  if (b === 'yes') return a
  return a === 'unknown' || b === 'unknown' ? 'unknown' : multiplyFractions(a, b)
}
