import type { IpFamily } from '@kube-rules/types'
import { multiplyFractions } from '../../../internal/fraction.js'
import { evaluateWithDestination } from '../../netfilter/destination-log.js'
import type { HookPacket } from '../../netfilter/hook-packet.js'
import type { Match, MatchKind } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import { addrtype } from './addrtype.js'
import { comment } from './comment.js'
import { conntrack } from './conntrack.js'
import { inInterface, outInterface } from './interface.js'
import { ipvs } from './ipvs.js'
import { mark } from './mark.js'
import { destination, source } from './network.js'
import { nfacct } from './nfacct.js'
import type { ListingContext, MatchOf, MatchOperations, MatchResult } from './operations.js'
import { physdev } from './physdev.js'
import { protocol } from './protocol.js'
import { recent } from './recent.js'
import { set } from './set.js'
import { state } from './state.js'
import { statistic } from './statistic.js'
import { destinationPort, sourcePort, transport } from './transport.js'
import { unknown } from './unknown.js'

/** All kinds of matches. */
export const MATCHES: { readonly [K in MatchKind]: MatchOperations<MatchOf<K>> } = {
  source,
  destination,
  inInterface,
  outInterface,
  protocol,
  transport,
  sourcePort,
  destinationPort,
  comment,
  mark,
  conntrack,
  state,
  addrtype,
  statistic,
  recent,
  nfacct,
  set,
  physdev,
  ipvs,
  unknown,
}

/** Returns the operations of a match. The cast is safe by the type of `MATCHES`, but the compiler cannot infer it. */
function languageOf(match: Match): MatchOperations<Match> {
  return MATCHES[match.kind] as unknown as MatchOperations<Match>
}

export function printMatch(match: Match, style: RuleFormat, family: IpFamily): string {
  return languageOf(match).print(match, style, family)
}

/** Formats a match in normal form as a listing does; undefined if the listing has a separate column for the match. */
export function formatListedMatch(match: Match, context: ListingContext): string | undefined {
  return languageOf(match).list?.(match, context)
}

export function canonicalizeMatch(match: Match, family: IpFamily): Match | undefined {
  return languageOf(match).canonical(match, family)
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
  const { ignoresDestination, evaluate } = languageOf(match)
  if (passage.packet.destinationLog === undefined || ignoresDestination === true) return evaluate(match, passage)
  if (ignoresDestination?.(match)) return evaluate(match, passage)
  return evaluateWithDestination(passage.packet, (packet) => evaluate(match, { ...passage, packet }))
}

function both(a: Exclude<MatchResult, 'no'>, b: Exclude<MatchResult, 'no'>): Exclude<MatchResult, 'no'> {
  if (a === 'yes') return b
  if (b === 'yes') return a
  return a === 'unknown' || b === 'unknown' ? 'unknown' : multiplyFractions(a, b)
}

const BY_OPTION: ReadonlyMap<string, MatchOperations<Match>> = new Map(
  Object.values(MATCHES).flatMap((language) =>
    (language.begins ?? []).map((begin) => [begin, language as unknown as MatchOperations<Match>] as const),
  ),
)

const BY_MODULE: ReadonlyMap<string, MatchOperations<Match>> = new Map(
  [...BY_OPTION].flatMap(([begin, language]) => (begin.startsWith('-m ') ? [[begin.slice(3), language]] : [])),
)

/** Returns the operations for an option such as `-s`. */
export function findMatchByOption(option: string): MatchOperations<Match> | undefined {
  return BY_OPTION.get(option)
}

/** Returns the operations for `-m MODULE`. */
export function findMatchByModule(module: string): MatchOperations<Match> | undefined {
  return BY_MODULE.get(module)
}
