import type { IpFamily } from '@kube-rules/types'
import type { Match, MatchKind, MatchOf } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import { addrtypeMatchPrinter } from './addrtype.js'
import { commentMatchPrinter } from './comment.js'
import { conntrackMatchPrinter } from './conntrack.js'
import { inInterfaceMatchPrinter, outInterfaceMatchPrinter } from './interface.js'
import { ipvsMatchPrinter } from './ipvs.js'
import { markMatchPrinter } from './mark.js'
import { destinationMatchPrinter, sourceMatchPrinter } from './network.js'
import { nfacctMatchPrinter } from './nfacct.js'
import type { ListingContext, MatchPrinter } from './operations.js'
import { physdevMatchPrinter } from './physdev.js'
import { protocolMatchPrinter } from './protocol.js'
import { recentMatchPrinter } from './recent.js'
import { setMatchPrinter } from './set.js'
import { stateMatchPrinter } from './state.js'
import { statisticMatchPrinter } from './statistic.js'
import { destinationPortMatchPrinter, sourcePortMatchPrinter, transportMatchPrinter } from './transport.js'
import { unknownMatchPrinter } from './unknown.js'

/**
 * All kinds of matches. Add a kind for a match that kube-proxy prints. For a match that only other programs print, add a
 * row to `match-modules.ts` of the analyzer instead, because only traces evaluate it.
 */
export const MATCH_PRINTERS: { readonly [K in MatchKind]: MatchPrinter<MatchOf<K>> } = {
  source: sourceMatchPrinter,
  destination: destinationMatchPrinter,
  inInterface: inInterfaceMatchPrinter,
  outInterface: outInterfaceMatchPrinter,
  protocol: protocolMatchPrinter,
  transport: transportMatchPrinter,
  sourcePort: sourcePortMatchPrinter,
  destinationPort: destinationPortMatchPrinter,
  comment: commentMatchPrinter,
  mark: markMatchPrinter,
  conntrack: conntrackMatchPrinter,
  state: stateMatchPrinter,
  addrtype: addrtypeMatchPrinter,
  statistic: statisticMatchPrinter,
  recent: recentMatchPrinter,
  nfacct: nfacctMatchPrinter,
  set: setMatchPrinter,
  physdev: physdevMatchPrinter,
  ipvs: ipvsMatchPrinter,
  unknown: unknownMatchPrinter,
}

/**
 * Returns the printer of a match. The cast is safe, because each entry of the table has the kind of its key. TypeScript
 * cannot infer this.
 */
function printerOf(match: Match): MatchPrinter<Match> {
  return MATCH_PRINTERS[match.kind] as unknown as MatchPrinter<Match>
}

export function printMatch(match: Match, style: RuleFormat, family: IpFamily): string {
  return printerOf(match).print(match, style, family)
}

/**
 * Formats a match in normal form like a listing (`iptables -L`). Returns undefined if the listing has a separate column
 * for the match.
 */
export function formatListedMatch(match: Match, context: ListingContext): string | undefined {
  return printerOf(match).list?.(match, context)
}

export function canonicalizeMatch(match: Match, family: IpFamily): Match | undefined {
  return printerOf(match).canonical(match, family)
}
