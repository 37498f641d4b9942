import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { type Decision, findClaimants, servesNodePorts } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'

/** A plan, with the decision that this plan makes about a packet. */
interface DecidedPlan {
  readonly plan: Plan
  readonly decision: Decision
}

/** A reason why kube-proxy handles packets differently in another mode for the same objects. */
interface PlanDifference {
  /** A stable code. */
  readonly code: string
  /** One readable sentence. */
  readonly reason: string
  /** Reports whether the difference affects a packet. */
  readonly affects: (packet: Packet, a: DecidedPlan, b: DecidedPlan) => boolean
}

/** The complete list. */
export const PLAN_DIFFERENCES: readonly PlanDifference[] = [
  {
    code: 'otherNodePortAddresses',
    reason:
      'node ports are served on other addresses: by default, nftables mode uses only the primary addresses, and only iptables mode can serve node ports on loopback addresses',
    affects: (packet, a, b) =>
      [a, b].some(({ plan }) => hasNodePort(plan, packet)) && servedAt(a.plan, packet) !== servedAt(b.plan, packet),
  },
  {
    code: 'otherMasqueradeAll',
    reason: 'different packets to cluster IPs are masqueraded, because each mode has its own masqueradeAll setting',
    affects: (_packet, a, b) =>
      a.plan.clusterIPMasquerade !== b.plan.clusterIPMasquerade &&
      [a, b].every(({ decision }) => isAtClusterIP(decision)),
  },
  {
    code: 'otherFrontend',
    reason:
      'two frontends of a service port are the same: iptables mode, and nftables mode up to 1.31, use the first, others the last',
    affects: (packet, a, b) =>
      [a, b].some(({ plan }) => isClaimedTwiceByOne(plan, packet)) && frontendOf(a) !== frontendOf(b),
  },
  {
    code: 'endsAtUnservedNodePort',
    reason:
      'from 1.19 to 1.22, iptables mode handles no packets of Services with a node port on a node that serves no node ports',
    affects: (packet, a, b) => endsAtNodePort(a.plan, packet) !== endsAtNodePort(b.plan, packet),
  },
  {
    code: 'ownPacketsKeptLocal',
    reason: 'up to 1.15, iptables mode keeps own packets to external destinations with policy Local on the node',
    affects: (packet, a, b) =>
      packet.origin === 'node' &&
      keepsOwnPackets(a.plan) !== keepsOwnPackets(b.plan) &&
      [a, b].some(({ decision }) => 'reason' in decision && decision.reason === 'nodeShortCircuit'),
  },
  {
    code: 'podsKnownAtExternalIPs',
    reason: 'from 1.21 to 1.23, iptables mode does not masquerade packets from pods to external IPs',
    affects: (_packet, a, b) =>
      knowsPodsAtExternalIPs(a.plan) !== knowsPodsAtExternalIPs(b.plan) &&
      [a, b].every((each) => frontendOf(each) === 'externalIP'),
  },
  {
    code: 'internalPolicyBesideExternal',
    reason: 'up to 1.23, only ipvs mode applies an internal policy Local if the external policy is also Local',
    affects: (_packet, a, b) =>
      appliesInternalPolicy(a.plan) !== appliesInternalPolicy(b.plan) &&
      [a, b].every(({ decision }) => isAtClusterIP(decision)) &&
      usesLocalPolicy(a) !== usesLocalPolicy(b),
  },
  {
    code: 'repeatedEndpoints',
    reason: 'up to 1.18, only iptables mode counts an endpoint again that an Endpoints object repeats',
    affects: (packet, a, b) => hasRepeatedEndpoints(a.plan, packet) !== hasRepeatedEndpoints(b.plan, packet),
  },
  {
    code: 'contested',
    reason: 'several service ports use the same address and port, and kube-proxy selects one of them at random',
    affects: (packet, a, b) => [a, b].some(({ plan }) => isClaimedBySeveral(plan, packet)),
  },
]

/**
 * Returns the codes of the differences between two plans of the same cluster that affect a packet. Each plan comes with
 * its decision about the packet.
 */
export function findPlanDifferences(packet: Packet, a: DecidedPlan, b: DecidedPlan): readonly string[] {
  return PLAN_DIFFERENCES.filter(({ affects }) => affects(packet, a, b)).map(({ code }) => code)
}

function isClaimedBySeveral(plan: Plan, packet: Packet): boolean {
  return new Set(findClaimants(plan, packet).map(({ servicePort }) => servicePort.text)).size > 1
}

function isClaimedTwiceByOne(plan: Plan, packet: Packet): boolean {
  const claimants = findClaimants(plan, packet).map(({ servicePort }) => servicePort.text)
  return new Set(claimants).size < claimants.length
}

function endsAtNodePort(plan: Plan, packet: Packet): boolean {
  const claimants = new Set(findClaimants(plan, packet).map(({ servicePort }) => servicePort))
  return plan.services.some(({ id, unservedNodePort }) => unservedNodePort !== undefined && claimants.has(id))
}

function hasRepeatedEndpoints(plan: Plan, packet: Packet): boolean {
  const { endpointSlices, realServersOnce } = plan.kernel.features
  if (endpointSlices || realServersOnce) return false
  const claimants = new Set(findClaimants(plan, packet).map(({ servicePort }) => servicePort))
  return plan.services.some(({ id, endpoints }) => claimants.has(id) && isRepeating(endpoints))
}

function isRepeating(endpoints: readonly Endpoint[]): boolean {
  return new Set(endpoints.map(({ text }) => text)).size < endpoints.length
}

function keepsOwnPackets({ kernel }: Plan): boolean {
  return kernel.features.ownPacketsKeptLocal
}

function knowsPodsAtExternalIPs({ kernel }: Plan): boolean {
  return kernel.features.podsKnownAtExternalIPs
}

function appliesInternalPolicy({ kernel }: Plan): boolean {
  return kernel.features.internalPolicyBesideExternal
}

function usesLocalPolicy({ decision }: DecidedPlan): boolean {
  return 'frontend' in decision && decision.frontend.usesLocalPolicy
}

function frontendOf({ decision }: DecidedPlan): string | undefined {
  return 'frontend' in decision ? decision.frontend.kind : undefined
}

function hasNodePort({ services }: Plan, { protocol, destinationPort }: Packet): boolean {
  return services.some(
    ({ id, frontends }) =>
      id.protocol === protocol && frontends.some(({ kind, port }) => kind === 'nodePort' && port === destinationPort),
  )
}

function servedAt(plan: Plan, { protocol, destination }: Packet): string {
  if (servesNodePorts(plan, destination)) return 'served'
  return isLoopback(destination) && plan.rejectedLocalhostNodePorts.includes(protocol) ? 'refused' : 'left alone'
}

function isAtClusterIP(decision: Decision): boolean {
  return 'frontend' in decision && decision.frontend.kind === 'clusterIP'
}
