import type { IpFamily } from '@kube-rules/types'
import type { Match, MatchKind } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import { addrtypePrinter } from './addrtype.js'
import { commentPrinter } from './comment.js'
import { conntrackPrinter } from './conntrack.js'
import { inInterfacePrinter, outInterfacePrinter } from './interface.js'
import { ipvsPrinter } from './ipvs.js'
import { markPrinter } from './mark.js'
import { destinationPrinter, sourcePrinter } from './network.js'
import { nfacctPrinter } from './nfacct.js'
import type { ListingContext, MatchOf, MatchPrinter } from './operations.js'
import { physdevPrinter } from './physdev.js'
import { protocolPrinter } from './protocol.js'
import { recentPrinter } from './recent.js'
import { setPrinter } from './set.js'
import { statePrinter } from './state.js'
import { statisticPrinter } from './statistic.js'
import { destinationPortPrinter, sourcePortPrinter, transportPrinter } from './transport.js'
import { unknownPrinter } from './unknown.js'

/** All kinds of matches. */
export const MATCH_PRINTERS: { readonly [K in MatchKind]: MatchPrinter<MatchOf<K>> } = {
  source: sourcePrinter,
  destination: destinationPrinter,
  inInterface: inInterfacePrinter,
  outInterface: outInterfacePrinter,
  protocol: protocolPrinter,
  transport: transportPrinter,
  sourcePort: sourcePortPrinter,
  destinationPort: destinationPortPrinter,
  comment: commentPrinter,
  mark: markPrinter,
  conntrack: conntrackPrinter,
  state: statePrinter,
  addrtype: addrtypePrinter,
  statistic: statisticPrinter,
  recent: recentPrinter,
  nfacct: nfacctPrinter,
  set: setPrinter,
  physdev: physdevPrinter,
  ipvs: ipvsPrinter,
  unknown: unknownPrinter,
}

/** Returns the printer of a match. The cast is safe by the type of the table, but the compiler cannot infer it. */
function printerOf(match: Match): MatchPrinter<Match> {
  return MATCH_PRINTERS[match.kind] as unknown as MatchPrinter<Match>
}

export function printMatch(match: Match, style: RuleFormat, family: IpFamily): string {
  return printerOf(match).print(match, style, family)
}

/** Formats a match in normal form as a listing does; undefined if the listing has a separate column for the match. */
export function formatListedMatch(match: Match, context: ListingContext): string | undefined {
  return printerOf(match).list?.(match, context)
}

export function canonicalizeMatch(match: Match, family: IpFamily): Match | undefined {
  return printerOf(match).canonical(match, family)
}
