import type { Features } from '../../model/configuration/features.js'
import type { Endpoint } from '../../model/endpoints/endpoint.js'
import { blockingVerdictOf, hasAllowedSources, permitNodeAtSeveralAddresses } from '../../plan/frontend.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'
import { limitationsOfServicePort, type ServiceLimitation } from '../shared/service-limitation.js'
import type { LoweringContext } from './lowering-context.js'
import { endpointPoolOf } from './virtual-servers.js'

/** Limitations that affect individual Services. */
export const SERVICE_LIMITATIONS: readonly ServiceLimitation<LoweringContext>[] = [
  {
    code: 'noShortCircuit',
    reason:
      'with policy Local, even pods and the node itself reach only local endpoints, because all clients share the real servers of a virtual server',
    applies: (service, { features }) => service.frontends.some((each) => losesShortCircuit(service, each, features)),
  },
  {
    code: 'localFallsBack',
    reason: 'with policy Local but no local endpoint, packets go to endpoints on other nodes instead of being dropped',
    applies: (service, { features }) =>
      features.localFallsBack && service.frontends.some((frontend) => fallsBack(service, frontend)),
  },
  {
    code: 'emptyVirtualServer',
    reason: 'without endpoints, the virtual server has no real servers, and no rule rejects or drops packets',
    applies: (service, { features }) => service.frontends.some((frontend) => isEmpty(service, frontend, features)),
  },
  {
    code: 'nodePortAddresses',
    reason:
      'the node port is not served on loopback addresses; if all addresses serve node ports, it is also not served on link-local IPv6 addresses and addresses of kube-ipvs0',
    applies: (service, { losesNodePortAddress }) => losesNodePortAddress && hasNodePort(service),
  },
  {
    code: 'healthCheckSkipped',
    reason: 'the health-check node port is not accepted, because no address of the node serves node ports',
    applies: (service, lowering) => losesHealthCheck(service, lowering),
  },
  {
    code: 'zeroSourceRange',
    reason: 'a source range of prefix length 0 allows no client, because an ipset cannot contain it',
    applies: (service) => service.frontends.some(hasZeroSourceRange),
  },
  {
    code: 'otherLoadBalancerIPs',
    reason:
      'packets from a load-balancer IP of the Service are accepted at that IP, but not at its other load-balancer IPs',
    applies: ({ frontends }) => permitNodeAtSeveralAddresses(frontends),
  },
  {
    code: 'externalIPRejected',
    reason:
      'from 1.26 to 1.29, external IPs with policy Local are rejected, because KUBE-IPVS-FILTER does not accept them',
    applies: ({ frontends }, { features }) => rejectsLocalExternalIPs(features) && frontends.some(isLocalExternalIP),
  },
  {
    code: 'markedToDrop',
    reason:
      'up to 1.24, packets that no source range accepts are only marked: rules of the kubelet drop marked packets',
    applies: ({ frontends }, { features }) => features.sourceRangesInNat && frontends.some(hasAllowedSources),
  },
  {
    code: 'sctpMasquerading',
    reason:
      'up to 1.15, SCTP packets to node ports are not masqueraded; from 1.16 to 1.22, they are masqueraded even with policy Local',
    applies: ({ id, frontends }, { features }) =>
      !features.localSctpNodePortsReturn && id.protocol === 'SCTP' && frontends.some(({ kind }) => kind === 'nodePort'),
  },
]

/**
 * Limitations that affect all Services equally and are not reported per Service.
 * Only the documentation contains them.
 */
export const GENERAL_LIMITATIONS: readonly Limitation[] = [
  {
    code: 'otherPortsRejected',
    reason:
      'packets to other ports of Service addresses are rejected, and packets to health-check ports reach the node, because these addresses are bound to the node',
  },
  {
    code: 'otherPortsReachNode',
    reason:
      'up to 1.25, packets to other ports of Service addresses reach the node, because these addresses are bound to the node',
  },
  {
    code: 'healthChecksRejected',
    reason: 'in 1.26 and 1.27, health-check node ports are also rejected at node addresses that are Service addresses',
  },
  {
    code: 'boundEndpoint',
    reason:
      'packets to an endpoint with the address of a Service reach the node itself, because the address is bound to the node',
  },
  {
    code: 'loopbackNotMasqueraded',
    reason: 'packets from loopback addresses are not masqueraded',
  },
  {
    code: 'ownPacketsNotMasqueraded',
    reason: 'with policy Local, packets from addresses of the node are not masqueraded',
  },
  {
    code: 'remoteHairpin',
    reason: 'hairpin packets are masqueraded only for local endpoints',
  },
  {
    code: 'fromClusterIP',
    reason: 'without local traffic detection, packets from a cluster IP to a port of its Service are masqueraded',
  },
  {
    code: 'ownPacketsNotLimited',
    reason: 'locally generated packets are checked against source ranges only if their source is the load-balancer IP',
  },
  {
    code: 'fromLoadBalancerIP',
    reason:
      'packets from a load-balancer IP to itself are dropped if no source range contains the node, even if a source range contains the load-balancer IP',
  },
  {
    code: 'guardedAddress',
    reason: 'source ranges also apply to an external IP that is also a load-balancer IP',
  },
  {
    code: 'sharedEntries',
    reason:
      'source ranges and policy Local of one service port apply to every service port with the same address and port',
  },
  {
    code: 'externalClusterIP',
    reason: 'packets to a cluster IP that is also an external or load-balancer IP are masqueraded as for both',
  },
  {
    code: 'directHairpin',
    reason: 'a packet from a local endpoint directly to itself is masqueraded too',
  },
  {
    code: 'schedulerChooses',
    reason: 'schedulers other than rr consider connection counts or client addresses, so endpoint probabilities differ',
  },
]

/** Returns the limitations that affect one particular service port of the plan. */
export function limitationsOf(service: ServicePlan, lowering: LoweringContext): readonly Limitation[] {
  return limitationsOfServicePort(SERVICE_LIMITATIONS, service, lowering)
}

/** Reports whether a clause of the frontend uses other endpoints than the real servers of the frontend. */
function losesShortCircuit({ pools }: ServicePlan, frontend: Frontend, features: Features): boolean {
  const pool = endpointPoolOf(frontend, features)
  return frontend.clauses.some(
    ({ action: then }) => then.kind === 'pool' && pool !== undefined && !sameEndpoints(pools[then.pool], pools[pool]),
  )
}

/** Reports whether two lists contain the same endpoints, compared by address and port, in the same order. */
function sameEndpoints(endpoints: readonly Endpoint[], others: readonly Endpoint[]): boolean {
  if (endpoints === others) return true
  return endpoints.length === others.length && endpoints.every(({ text }, index) => text === others[index]?.text)
}

function fallsBack({ pools }: ServicePlan, frontend: Frontend): boolean {
  return blockingVerdictOf(frontend) === 'drop' && pools.cluster.length > 0
}

function isEmpty({ pools }: ServicePlan, frontend: Frontend, features: Features): boolean {
  const pool = endpointPoolOf(frontend, features)
  return pool === undefined || pools[pool].length === 0
}

/** Reports whether KUBE-IPVS-FILTER rejects packets to external IPs with policy Local. */
function rejectsLocalExternalIPs({ accessFilter, accessToLocalExternalIPs }: Features): boolean {
  return accessFilter && !accessToLocalExternalIPs
}

function isLocalExternalIP({ kind, preservesClientIP }: Frontend): boolean {
  return kind === 'externalIP' && preservesClientIP === true
}

function hasNodePort({ frontends }: ServicePlan): boolean {
  return frontends.some(({ kind }) => kind === 'nodePort')
}

function losesHealthCheck(service: ServicePlan, { nodePortAddresses }: LoweringContext): boolean {
  return service.healthCheckNodePort !== undefined && hasNodePort(service) && nodePortAddresses.length === 0
}

function hasZeroSourceRange({ allowedSources }: Frontend): boolean {
  return allowedSources?.ranges.some(({ prefixLength }) => prefixLength === 0) ?? false
}
