import type { Endpoint } from '../../model/endpoints/endpoint.js'
import { refusalOf } from '../../plan/frontend.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'
import { applyingTo, limitationAlone, type ServiceLimitation } from '../shared/service-limitation.js'
import type { Lowering } from './lowering.js'
import { poolOf } from './virtual-servers.js'

const KNOWN: readonly ServiceLimitation<Lowering>[] = [
  {
    code: 'noShortCircuit',
    reason:
      'with policy Local, pods and the node itself reach only the endpoints on this node, because a virtual server has one set of real servers for all its clients',
    applies: (service) => service.frontends.some((frontend) => losesShortCircuit(service, frontend)),
  },
  {
    code: 'localFallsBack',
    reason: 'without endpoints on this node, policy Local sends to those of other nodes instead of dropping',
    applies: (service) => service.frontends.some((frontend) => fallsBack(service, frontend)),
  },
  {
    code: 'emptyVirtualServer',
    reason: 'without endpoints there is a virtual server without real servers, and no rule that rejects or drops',
    applies: (service) => service.frontends.some((frontend) => isEmpty(service, frontend)),
  },
  {
    code: 'nodePortAddresses',
    reason:
      'the node port is served neither on loopback addresses nor, where all addresses serve node ports, on link-local IPv6 addresses and those of kube-ipvs0',
    applies: (service, { losesNodePortAddress }) => losesNodePortAddress && hasNodePort(service),
  },
  {
    code: 'healthCheckSkipped',
    reason: 'the health-check node port is not accepted, because no address of this node serves node ports',
    applies: (service, lowering) => losesHealthCheck(service, lowering),
  },
  {
    code: 'zeroSourceRange',
    reason: 'a source range of prefix length 0 accepts nobody, because an ipset cannot hold it',
    applies: (service) => service.frontends.some(hasZeroSourceRange),
  },
  {
    code: 'otherLoadBalancerIPs',
    reason: 'as a source, each load-balancer IP is accepted only by itself, not by the other load-balancer IPs',
    applies: (service) => losesLoadBalancerIPs(service),
  },
]

/** What holds for all Services alike and is nothing to report of a single one. */
const GENERAL: readonly Limitation[] = [
  {
    code: 'otherPortsRefused',
    reason:
      'other ports of the addresses of Services are refused, and those of health checks lead to the node, because it carries these addresses itself',
  },
  {
    code: 'boundEndpoint',
    reason: 'an endpoint that has an address of some Service is taken for the node itself, which carries that address',
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
    reason: 'a packet that comes back to where it came from is masqueraded only for endpoints on this node',
  },
  {
    code: 'fromClusterIP',
    reason: 'where pods cannot be told, packets from a cluster IP to a port of its Service are masqueraded',
  },
  {
    code: 'ownPacketsNotLimited',
    reason: 'packets made on the node are held against source ranges only where they come from the load-balancer IP',
  },
  {
    code: 'fromLoadBalancerIP',
    reason:
      'packets from a load-balancer IP to itself are dropped where no source range holds the node, which carries that address, also where one holds the address',
  },
  {
    code: 'guardedAddress',
    reason:
      'an address that is both an external IP and a load-balancer IP is held against source ranges whichever was meant',
  },
  {
    code: 'externalClusterIP',
    reason: 'a cluster IP that is an external or load-balancer IP, too, is masqueraded as such',
  },
  {
    code: 'directHairpin',
    reason: 'a packet that an endpoint on this node sends to itself without a Service is masqueraded, too',
  },
  {
    code: 'schedulerChooses',
    reason:
      'schedulers other than rr choose endpoints by what they know of connections, servers or clients, so that not all are equally likely',
  },
]

/** Everything mode ipvs does otherwise than a plan says. */
export const LIMITATIONS: readonly Limitation[] = [...KNOWN.map(limitationAlone), ...GENERAL]

/** Those of the limitations that make a difference to one service port of the plan more than to others. */
export function limitationsOf(service: ServicePlan, lowering: Lowering): readonly Limitation[] {
  return applyingTo(KNOWN, service, lowering)
}

/** Whether some clause leads to other endpoints than the real servers. */
function losesShortCircuit({ pools }: ServicePlan, frontend: Frontend): boolean {
  const pool = poolOf(frontend)
  return frontend.route.some(
    ({ then }) => then.to === 'pool' && pool !== undefined && !sameEndpoints(pools[then.pool], pools[pool]),
  )
}

/** Whether these are the same addresses and ports in the same order. */
function sameEndpoints(endpoints: readonly Endpoint[], others: readonly Endpoint[]): boolean {
  if (endpoints === others) return true
  return endpoints.length === others.length && endpoints.every(({ text }, index) => text === others[index]?.text)
}

function fallsBack({ pools }: ServicePlan, frontend: Frontend): boolean {
  return refusalOf(frontend) === 'drop' && pools.cluster.length > 0
}

function isEmpty({ pools }: ServicePlan, frontend: Frontend): boolean {
  const pool = poolOf(frontend)
  return pool === undefined || pools[pool].length === 0
}

function hasNodePort({ frontends }: ServicePlan): boolean {
  return frontends.some(({ kind }) => kind === 'nodePort')
}

function losesHealthCheck(service: ServicePlan, { nodePortAddresses }: Lowering): boolean {
  return service.healthCheckNodePort !== undefined && hasNodePort(service) && nodePortAddresses.length === 0
}

function hasZeroSourceRange({ allowedSources }: Frontend): boolean {
  return allowedSources?.ranges.some(({ prefixLength }) => prefixLength === 0) ?? false
}

function losesLoadBalancerIPs({ frontends }: ServicePlan): boolean {
  const guarded = frontends.filter(({ allowedSources }) => allowedSources?.includesThisNode)
  return new Set(guarded.map(({ address }) => address)).size > 1
}
