import type { IptablesState, Rule, RuleBlock } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import {
  EXTERNAL_SERVICES_CHAIN,
  NODE_PORTS_CHAIN,
  SERVICES_CHAIN,
} from '@kube-rules/compiler/internal/targets/iptables/chain-names'
import { PROTOCOLS_BY_NAME } from '@kube-rules/types/internal/protocol'
import { findMatch, readMatchedFrontend } from '../shared/read-matched-frontend.js'
import type { StateFrontend } from '../state-frontend.js'

/** The chains that kube-proxy uses for matching the destination of a packet. */
const DISPATCH_CHAINS: ReadonlySet<string> = new Set([SERVICES_CHAIN, EXTERNAL_SERVICES_CHAIN, NODE_PORTS_CHAIN])

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
  const frontend = readMatchedFrontend(matches)
  const protocol = PROTOCOLS_BY_NAME.get(findMatch(matches, 'protocol')?.protocol ?? '')
  return frontend === undefined || protocol === undefined ? [] : [{ owner, protocol, ...frontend }]
}
