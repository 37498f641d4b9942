import type { Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { listEndpointChainNames } from '@kube-rules/compiler/internal/targets/iptables/chain-names'
import { isEndpointChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { MARK_MASQ_CHAIN } from '@kube-rules/compiler/internal/targets/shared/mark'
import { PROTOCOLS } from '@kube-rules/types/internal/protocol'
import { ASSUMED_COMMENT } from './assumed-rule.js'

/**
 * Returns the rules of the KUBE-SEP chains that a fragment does not contain, but that its rules jump to. The comment of
 * the jump has the service port and the endpoint (since 1.24), and the name of the chain is the hash of both. If the
 * hash differs, the rules are unknown.
 */
export function inferEndpointChains(rules: readonly Rule[], isMissing: (chain: string) => boolean): readonly Rule[] {
  const jumps = new Map(rules.map((rule) => [jumpTargetOf(rule) ?? '', commentOf(rule)]))
  return Array.from(jumps, ([chain, comment]) =>
    isEndpointChain(chain) && isMissing(chain) ? rulesOfEndpoint(chain, comment) : [],
  ).flat()
}

function commentOf({ matches }: Rule): string {
  return matches.flatMap((match) => (match.kind === 'comment' ? [match.text] : []))[0] ?? ''
}

/** Matches the comment of a jump to an endpoint: `shop/web:http -> 10.244.1.5:8080`. */
const COMMENT = /^(([^/ ]+)\/([^: ]+)(?::(\S+))?) -> (\[?([0-9a-f.:]+?)\]?:\d+)$/

function rulesOfEndpoint(chain: string, comment: string): readonly Rule[] {
  const [, text, namespace, name, portName = '', endpoint, ip] = COMMENT.exec(comment) ?? []
  if (text === undefined || namespace === undefined || name === undefined || endpoint === undefined) return []
  const protocol = PROTOCOLS.find((each) => {
    const [expected] = listEndpointChainNames({ namespace, name, portName, text, protocol: each }, [{ text: endpoint }])
    return expected === chain
  })
  if (protocol === undefined || ip === undefined) return []
  return [
    {
      chain,
      matches: [ASSUMED_COMMENT, { kind: 'source', address: ip, negated: false }],
      target: { kind: 'jump', chain: MARK_MASQ_CHAIN },
    },
    {
      chain,
      matches: [ASSUMED_COMMENT, { kind: 'protocol', protocol: protocol.toLowerCase(), negated: false }],
      target: { kind: 'dnat', destination: endpoint },
    },
  ]
}
