import { createFraction, type Fraction, ONE_FRACTION } from '@kube-rules/compiler/internal/internal/fraction'
import { type Decision, isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Outcome, Packet } from '@kube-rules/types'

/** An outcome with the share of packets that have this outcome. */
export interface WeightedEnd {
  readonly outcome: Outcome
  readonly weight: Fraction
}

/** Returns the outcomes of a packet that a plan decides about, each with its share of the packets. */
export function outcomesOfDecision(
  decision: Decision,
  { family, node }: Plan,
  { destination }: Packet,
): readonly WeightedEnd[] {
  switch (decision.kind) {
    case 'unmatched':
    case 'healthCheck': {
      const isOwn = isNodeAddress(node, destination)
      const outcome = { kind: 'unmatched', to: isOwn ? 'node' : 'network', masqueraded: false } as const
      return [{ outcome, weight: ONE_FRACTION }]
    }
    case 'reject':
      return [{ outcome: { kind: 'rejected', with: PORT_UNREACHABLE_MESSAGES[family] }, weight: ONE_FRACTION }]
    case 'drop':
      return [{ outcome: { kind: 'dropped' }, weight: ONE_FRACTION }]
    case 'proxy':
      return [{ outcome: ANY_PROXY_PORT, weight: ONE_FRACTION }]
    case 'endpoints':
      return decision.candidates.map(({ endpoint, weight, masquerade }) => ({
        outcome: { kind: 'delivered', address: endpoint.ip, port: endpoint.port, masqueraded: masquerade },
        weight: createFraction(weight.numerator, weight.denominator),
      }))
  }
}

/**
 * The ICMP error of every rejection by kube-proxy. It is the default of iptables and nft, and also the error of an IPVS
 * virtual server without real servers.
 */
export const PORT_UNREACHABLE_MESSAGES = { IPv4: 'icmp-port-unreachable', IPv6: 'icmp6-port-unreachable' } as const

/** The outcome of packets to the userspace proxy. A plan does not contain the local port of the proxy. */
export const ANY_PROXY_PORT = { kind: 'proxy', port: 0 } as const
