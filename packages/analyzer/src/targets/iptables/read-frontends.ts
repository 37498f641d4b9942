import type { IptablesState, Match, Rule, RuleBlock } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import {
  EXTERNAL_SERVICES_CHAIN,
  NODE_PORTS_CHAIN,
  SERVICES_CHAIN,
} from '@kube-rules/compiler/internal/targets/iptables/chain-names'
import type { Protocol } from '@kube-rules/types'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import type { StateFrontend } from '../state-frontend.js'

/** The chains that kube-proxy uses for matching the destination of a packet. */
const DISPATCH_CHAINS: ReadonlySet<string> = new Set([SERVICES_CHAIN, EXTERNAL_SERVICES_CHAIN, NODE_PORTS_CHAIN])

const PROTOCOLS: Readonly<Record<string, Protocol>> = { tcp: 'TCP', udp: 'UDP', sctp: 'SCTP' }

/** Returns the distinct destinations of the dispatch rules of a state, in rule order. */
export function readFrontends({ tables }: IptablesState): readonly StateFrontend[] {
  const frontends = new Map<string, StateFrontend>()
  for (const { blocks } of tables) {
    for (const block of blocks) {
      for (const port of getBlockRules(block).flatMap((rule) => portOf(rule, block))) {
        const key = `${port.protocol} ${port.address} ${port.port}`
        if (!frontends.has(key)) frontends.set(key, port)
      }
    }
  }
  return [...frontends.values()]
}

function portOf({ chain, matches, target }: Rule, { owner }: RuleBlock): readonly StateFrontend[] {
  if (!DISPATCH_CHAINS.has(chain) || target === undefined) return []
  const port = find(matches, 'destinationPort')
  const protocol = PROTOCOLS[find(matches, 'protocol')?.protocol ?? '']
  if (port === undefined || protocol === undefined || port.first !== port.last) return []
  const network = find(matches, 'destination')?.address
  const destination = network === undefined ? undefined : withoutHostPrefix(network)
  const address = destination?.includes('/') ? undefined : destination
  return [{ owner, protocol, address, port: port.first }]
}

function find<K extends Match['kind']>(matches: readonly Match[], kind: K): Extract<Match, { kind: K }> | undefined {
  return matches.find((match): match is Extract<Match, { kind: K }> => match.kind === kind)
}
