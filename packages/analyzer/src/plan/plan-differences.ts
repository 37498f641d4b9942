import { claimantsOf, type Decision, servesNodePorts } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { isLoopback, type Packet } from '@kube-rules/types'

/** Why kube-proxy wants something else of packets in another mode, though the objects are the same. */
export interface PlanDifference {
  readonly code: string
  /** One sentence for people. */
  readonly reason: string
}

/** All there are. */
export const PLAN_DIFFERENCES: readonly PlanDifference[] = [
  {
    code: 'otherNodePortAddresses',
    reason:
      'node ports are served at other addresses: mode nftables means the primary ones where nothing is said, and loopback addresses are a setting of mode iptables',
  },
  {
    code: 'otherMasqueradeAll',
    reason: 'packets to cluster IPs are masqueraded for other clients: masqueradeAll is a setting of each mode',
  },
  {
    code: 'contested',
    reason:
      'several service ports claim one address and port, and kube-proxy leaves it to chance which of them gets it',
  },
]

/** The codes of those by which two plans of one cluster want something else of a packet, each with its decision. */
export function planDifferences(
  packet: Packet,
  a: { readonly plan: Plan; readonly decision: Decision },
  b: { readonly plan: Plan; readonly decision: Decision },
): readonly string[] {
  const isNodePort = hasNodePort(a.plan, packet) || hasNodePort(b.plan, packet)
  const isServedOtherwise = isNodePort && servedAt(a.plan, packet) !== servedAt(b.plan, packet)
  const isMasqueradedOtherwise =
    a.plan.clusterIPMasquerade !== b.plan.clusterIPMasquerade && isAtClusterIP(a.decision) && isAtClusterIP(b.decision)
  const isContested = [a, b].some(({ plan }) => isClaimedBySeveral(plan, packet))
  return [
    ...(isServedOtherwise ? ['otherNodePortAddresses'] : []),
    ...(isMasqueradedOtherwise ? ['otherMasqueradeAll'] : []),
    ...(isContested ? ['contested'] : []),
  ]
}

function isClaimedBySeveral(plan: Plan, packet: Packet): boolean {
  return new Set(claimantsOf(plan, packet).map(({ servicePort }) => servicePort.text)).size > 1
}

function hasNodePort({ services }: Plan, { protocol, destinationPort }: Packet): boolean {
  return services.some(
    ({ id, frontends }) =>
      id.protocol === protocol && frontends.some(({ kind, port }) => kind === 'nodePort' && port === destinationPort),
  )
}

function servedAt(plan: Plan, { protocol, destination }: Packet): string {
  if (servesNodePorts(plan, destination)) return 'served'
  return isLoopback(destination) && plan.refusedLocalhostNodePorts.includes(protocol) ? 'refused' : 'left alone'
}

function isAtClusterIP(decision: Decision): boolean {
  return 'frontend' in decision && decision.frontend.kind === 'clusterIP'
}
