import type { Endpoint } from '../../model/model.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../target.js'
import type { Lowering } from './lowering.js'
import { poolOf } from './virtual-servers.js'

interface KnownLimitation extends Limitation {
  /** Whether it makes a difference to a service port. */
  applies(service: ServicePlan, lowering: Lowering): boolean
}

const KNOWN: readonly KnownLimitation[] = [
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

/** Everything mode ipvs does otherwise than a plan says. */
export const LIMITATIONS: readonly Limitation[] = KNOWN.map(limitation)

/** Those of the limitations that make a difference to one service port of the plan. */
export function limitationsOf(service: ServicePlan, lowering: Lowering): readonly Limitation[] {
  return KNOWN.filter((known) => known.applies(service, lowering)).map(limitation)
}

function limitation({ code, reason }: KnownLimitation): Limitation {
  return { code, reason }
}

/** Whether some clause leads to other endpoints than the real servers. */
function losesShortCircuit({ pools }: ServicePlan, frontend: Frontend): boolean {
  const pool = poolOf(frontend)
  return frontend.route.some(
    ({ then }) => then.to === 'pool' && pool !== undefined && !sameEndpoints(pools[then.pool], pools[pool]),
  )
}

function sameEndpoints(left: readonly Endpoint[], right: readonly Endpoint[]): boolean {
  return left.length === right.length && left.every(({ text }, index) => text === right[index]?.text)
}

function fallsBack({ pools }: ServicePlan, { route }: Frontend): boolean {
  return route.at(-1)?.then.to === 'drop' && pools.cluster.length > 0
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
