import { isFirewalled, isServed } from '../../plan/frontend.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'
import { limitationsOfServicePort, type ServiceLimitation } from '../shared/service-limitation.js'
import type { LoweringContext } from './lowering-context.js'

/** Limitations that affect individual Services. They apply only to older versions. */
export const SERVICE_LIMITATIONS: readonly ServiceLimitation<LoweringContext>[] = [
  {
    code: 'markedToDrop',
    reason:
      'up to 1.24, packets that no source range or no local endpoint accepts are only marked: the kubelet drops marked packets in INPUT and OUTPUT, and forwarded packets are sent without changes',
    applies: ({ frontends }, { features }) => !features.dropsInFilter && frontends.some(mayDrop),
  },
  {
    code: 'firstLoadBalancerIP',
    reason:
      'up to 1.24, if source ranges contain the node, its packets are accepted only from the first load-balancer IP; packets from the other load-balancer IPs are marked to be dropped',
    applies: ({ frontends }, { features }) =>
      !features.dropsInFilter && frontends.filter(isFirewalled).length > 1 && frontends.some(acceptsThisNode),
  },
  {
    code: 'externalIPsIgnorePolicy',
    reason: 'up to 1.18, external IPs use policy Cluster, even if externalTrafficPolicy is Local',
    applies: ({ frontends, localClauses }, { features }) =>
      !features.externalIPsFollowPolicy && localClauses !== undefined && frontends.some(isExternalIP),
  },
  {
    code: 'ownPacketsKeptLocal',
    reason:
      'up to 1.15, locally generated packets to external destinations with policy Local reach only local endpoints',
    applies: ({ frontends }, { features }) =>
      features.ownPacketsKeptLocal && frontends.some((frontend) => frontend.preservesClientIP && isServed(frontend)),
  },
  {
    code: 'bridgedExternalIPs',
    reason:
      'up to 1.20, the node itself and pods on a bridge cannot reach external IPs that are not addresses of the node',
    applies: ({ frontends }, { features }) => features.externalIPsSpareBridges && frontends.some(isExternalIP),
  },
  {
    code: 'endsAtUnservedNodePort',
    reason: 'from 1.19 to 1.22, a node that serves no node ports handles no packets of Services with a node port',
    applies: ({ frontends, pools }, { features }) =>
      features.endsAtUnservedNodePort && pools.cluster.length === 0 && frontends.some(isServed),
  },
]

/**
 * Limitations that affect all Services equally and are not reported per Service.
 * Only the documentation contains them.
 */
export const GENERAL_LIMITATIONS: readonly Limitation[] = [
  {
    code: 'forwardedPacketsNotRejected',
    reason:
      'up to 1.18, forwarded packets are not rejected at external IPs, because FORWARD does not jump to KUBE-EXTERNAL-SERVICES; such packets are sent without changes',
  },
  {
    code: 'ownPacketsNotRejected',
    reason:
      'locally generated packets are not rejected at external IPs and load-balancer IPs, because OUTPUT does not jump to KUBE-EXTERNAL-SERVICES; such packets are sent without changes',
  },
  {
    code: 'nodePortsRejectedEverywhere',
    reason: 'a node port is rejected on every address of the node, including addresses that serve no node ports',
  },
  {
    code: 'endpointRejected',
    reason:
      'packets to an endpoint are rejected if a Service without endpoints has the same address and port, because the filter table sees packets after DNAT; an earlier rule accepts forwarded packets that are masqueraded',
  },
  {
    code: 'externalClusterIP',
    reason:
      'in 1.22 and 1.23, packets to a cluster IP are masqueraded as for an external IP or node port of the Service if the address and port are the same',
  },
  {
    code: 'loopbackGuarded',
    reason:
      'if node ports can be served on loopback addresses, all packets to 127.0.0.0/8 from other addresses are dropped',
  },
]

/** Returns the limitations of older versions that affect one service port. From 1.25 on, there are none. */
export function limitationsOf(service: ServicePlan, lowering: LoweringContext): readonly Limitation[] {
  return lowering.features.dropsInFilter ? NONE : limitationsOfServicePort(SERVICE_LIMITATIONS, service, lowering)
}

const NONE: readonly Limitation[] = []

function mayDrop(frontend: Frontend): boolean {
  return isFirewalled(frontend) || frontend.clauses.some(({ action }) => action.kind === 'drop')
}

function acceptsThisNode({ allowedSources }: Frontend): boolean {
  return allowedSources?.includesThisNode === true
}

function isExternalIP({ kind }: Frontend): boolean {
  return kind === 'externalIP'
}
