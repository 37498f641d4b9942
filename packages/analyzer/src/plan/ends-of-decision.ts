import { createFraction, type Fraction, ONE_FRACTION } from '@kube-rules/compiler/internal/internal/fraction'
import { type Decision, type EndpointCandidate, isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { IpFamily, Outcome, Packet } from '@kube-rules/types'

/** An outcome with the share of packets that have this outcome. */
export interface WeightedOutcome {
  readonly outcome: Outcome
  readonly weight: Fraction
}

/** Returns the outcomes that a decision defines for a packet. */
export function endsOfDecision(
  decision: Decision,
  { family, node }: Pick<Plan, 'family' | 'node'>,
  { destination }: Pick<Packet, 'destination'>,
): readonly WeightedOutcome[] {
  switch (decision.kind) {
    case 'unmatched':
    case 'healthCheck':
      return [certainEnd(createUnmatchedOutcome(isNodeAddress(node, destination), false))]
    case 'reject':
      return [certainEnd(createRejectedOutcome(family))]
    case 'drop':
      return [certainEnd(DROPPED)]
    case 'proxy':
      return [certainEnd(ANY_PROXY_PORT)]
    case 'endpoints':
      return decision.candidates.map((candidate) => ({
        outcome: createDelivery(candidate.endpoint, candidate.masquerade),
        weight: createFraction(candidate.weight.numerator, candidate.weight.denominator),
      }))
  }
}

/** Returns the only possible outcome of a packet. */
export function certainEnd(outcome: Outcome): WeightedOutcome {
  return { outcome, weight: ONE_FRACTION }
}

export const DROPPED: Outcome = { kind: 'dropped' }

/** The outcome of a packet that the userspace proxy accepts. A plan does not contain the local port of the proxy. */
export const ANY_PROXY_PORT: Outcome = { kind: 'proxy', port: 0 }

/**
 * The ICMP error of every rejection by kube-proxy. It is the default of iptables and nft, and also the error of an IPVS
 * virtual server without real servers.
 */
const PORT_UNREACHABLE_MESSAGES = { IPv4: 'icmp-port-unreachable', IPv6: 'icmp6-port-unreachable' } as const

export function createRejectedOutcome(family: IpFamily): Outcome {
  return { kind: 'rejected', with: PORT_UNREACHABLE_MESSAGES[family] }
}

export function createUnmatchedOutcome(isToNode: boolean, masqueraded: boolean): Outcome {
  return { kind: 'unmatched', to: isToNode ? 'node' : 'network', masqueraded }
}

export function createDelivery(endpoint: EndpointCandidate['endpoint'], masqueraded: boolean): Outcome {
  return { kind: 'delivered', address: endpoint.ip, port: endpoint.port, masqueraded }
}
