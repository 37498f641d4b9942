import type { Match } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { addrtypeParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/addrtype'
import { commentParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/comment'
import { conntrackParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/conntrack'
import {
  inInterfaceParser,
  outInterfaceParser,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/interface'
import { ipvsParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/ipvs'
import { markParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/mark'
import { destinationParser, sourceParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/network'
import { nfacctParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/nfacct'
import type { MatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/operations'
import { physdevParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/physdev'
import { protocolParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/protocol'
import { recentParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/recent'
import { setParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/set'
import { stateParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/state'
import { statisticParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/statistic'
import {
  destinationPortParser,
  sourcePortParser,
  transportParser,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'

const PARSERS: readonly MatchParser<Match>[] = [
  sourceParser,
  destinationParser,
  inInterfaceParser,
  outInterfaceParser,
  protocolParser,
  transportParser,
  sourcePortParser,
  destinationPortParser,
  commentParser,
  markParser,
  conntrackParser,
  stateParser,
  addrtypeParser,
  statisticParser,
  recentParser,
  nfacctParser,
  setParser,
  physdevParser,
  ipvsParser,
]

const BY_OPTION: ReadonlyMap<string, MatchParser<Match>> = new Map(
  PARSERS.flatMap((parser) => parser.begins.map((begin) => [begin, parser] as const)),
)

const BY_MODULE: ReadonlyMap<string, MatchParser<Match>> = new Map(
  [...BY_OPTION].flatMap(([begin, parser]) => (begin.startsWith('-m ') ? [[begin.slice(3), parser]] : [])),
)

/** Returns the parser for an option such as `-s`. */
export function findMatchByOption(option: string): MatchParser<Match> | undefined {
  return BY_OPTION.get(option)
}

/** Returns the parser for `-m MODULE`. */
export function findMatchByModule(module: string): MatchParser<Match> | undefined {
  return BY_MODULE.get(module)
}
