import type { Match } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { addrtypeMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/addrtype'
import { commentMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/comment'
import { conntrackMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/conntrack'
import {
  inInterfaceMatchParser,
  outInterfaceMatchParser,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/interface'
import { ipvsMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/ipvs'
import { markMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/mark'
import {
  destinationMatchParser,
  sourceMatchParser,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/network'
import { nfacctMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/nfacct'
import type { MatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/operations'
import { physdevMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/physdev'
import { protocolMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/protocol'
import { recentMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/recent'
import { setMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/set'
import { stateMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/state'
import { statisticMatchParser } from '@kube-rules/compiler/internal/dataplane/iptables/matches/statistic'
import {
  destinationPortMatchParser,
  sourcePortMatchParser,
  transportMatchParser,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/transport'

const PARSERS: readonly MatchParser<Match>[] = [
  sourceMatchParser,
  destinationMatchParser,
  inInterfaceMatchParser,
  outInterfaceMatchParser,
  protocolMatchParser,
  transportMatchParser,
  sourcePortMatchParser,
  destinationPortMatchParser,
  commentMatchParser,
  markMatchParser,
  conntrackMatchParser,
  stateMatchParser,
  addrtypeMatchParser,
  statisticMatchParser,
  recentMatchParser,
  nfacctMatchParser,
  setMatchParser,
  physdevMatchParser,
  ipvsMatchParser,
]

const BY_OPTION: ReadonlyMap<string, MatchParser<Match>> = new Map(
  PARSERS.flatMap((parser) => parser.begins.map((begin) => [begin, parser] as const)),
)

const BY_MODULE: ReadonlyMap<string, MatchParser<Match>> = new Map(
  [...BY_OPTION].flatMap(([begin, parser]) => (begin.startsWith('-m ') ? [[begin.slice(3), parser]] : [])),
)

/** Returns the parser for an option such as `-s`. */
export function findMatchParserByOption(option: string): MatchParser<Match> | undefined {
  return BY_OPTION.get(option)
}

/** Returns the parser for `-m MODULE`. */
export function findMatchParserByModule(module: string): MatchParser<Match> | undefined {
  return BY_MODULE.get(module)
}
