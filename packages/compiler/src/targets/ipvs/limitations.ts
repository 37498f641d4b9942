import { isLoopback } from '@kube-rules/types'
import type { Endpoint } from '../../model/model.js'
import type { Frontend, Plan, ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../target.js'
import { nodePortAddresses } from './node-addresses.js'
import { poolOf } from './virtual-servers.js'

const NO_SHORT_CIRCUIT: Limitation = {
  code: 'noShortCircuit',
  reason:
    'with policy Local, pods and the node itself reach only the endpoints on this node, because a virtual server has one set of real servers for all its clients',
}

const LOCAL_FALLS_BACK: Limitation = {
  code: 'localFallsBack',
  reason: 'without endpoints on this node, policy Local sends to those of other nodes instead of dropping',
}

const EMPTY_VIRTUAL_SERVER: Limitation = {
  code: 'emptyVirtualServer',
  reason: 'without endpoints there is a virtual server without real servers, and no rule that rejects or drops',
}

const NODE_PORT_ADDRESSES: Limitation = {
  code: 'nodePortAddresses',
  reason:
    'the node port is not served on loopback addresses, nor on link-local IPv6 addresses or those of kube-ipvs0 where all addresses serve node ports',
}

const HEALTH_CHECK_SKIPPED: Limitation = {
  code: 'healthCheckSkipped',
  reason: 'the health-check node port is not accepted, because no address of this node serves node ports',
}

const ZERO_SOURCE_RANGE: Limitation = {
  code: 'zeroSourceRange',
  reason: 'a source range of prefix length 0 accepts nobody, because an ipset cannot hold it',
}

const OTHER_LOAD_BALANCER_IPS: Limitation = {
  code: 'otherLoadBalancerIPs',
  reason:
    'of the load-balancer IPs of the Service each accepts only itself as a source beside the source ranges, not the others',
}

/** Everything mode ipvs does otherwise than a plan says. */
export const LIMITATIONS: readonly Limitation[] = [
  NO_SHORT_CIRCUIT,
  LOCAL_FALLS_BACK,
  EMPTY_VIRTUAL_SERVER,
  NODE_PORT_ADDRESSES,
  HEALTH_CHECK_SKIPPED,
  ZERO_SOURCE_RANGE,
  OTHER_LOAD_BALANCER_IPS,
]

/** Those of the limitations that make a difference to one service port of the plan. */
export function limitationsOf(service: ServicePlan, plan: Plan): readonly Limitation[] {
  const applying: ReadonlyMap<Limitation, boolean> = new Map([
    [NO_SHORT_CIRCUIT, service.frontends.some((frontend) => losesShortCircuit(service, frontend))],
    [LOCAL_FALLS_BACK, service.frontends.some((frontend) => fallsBack(service, frontend))],
    [EMPTY_VIRTUAL_SERVER, service.frontends.some((frontend) => isEmpty(service, frontend))],
    [NODE_PORT_ADDRESSES, hasNodePort(service) && losesNodePortAddress(plan)],
    [HEALTH_CHECK_SKIPPED, losesHealthCheck(service, plan)],
    [ZERO_SOURCE_RANGE, service.frontends.some(hasZeroSourceRange)],
    [OTHER_LOAD_BALANCER_IPS, losesLoadBalancerIPs(service)],
  ])
  return LIMITATIONS.filter((limitation) => applying.get(limitation))
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

function losesNodePortAddress(plan: Plan): boolean {
  const { all, addresses } = plan.nodePorts
  if (plan.localhostNodePorts && (all || addresses.some(isLoopback))) return true
  const reachable = plan.node.addresses.filter(({ address }) => !isLoopback(address))
  return all && nodePortAddresses(plan).length < reachable.length
}

function losesHealthCheck(service: ServicePlan, plan: Plan): boolean {
  return service.healthCheckNodePort !== undefined && hasNodePort(service) && nodePortAddresses(plan).length === 0
}

function hasZeroSourceRange({ allowedSources }: Frontend): boolean {
  return allowedSources?.ranges.some(({ prefixLength }) => prefixLength === 0) ?? false
}

function losesLoadBalancerIPs({ frontends }: ServicePlan): boolean {
  const guarded = frontends.filter(({ allowedSources }) => allowedSources?.includesThisNode)
  return new Set(guarded.map(({ address }) => address)).size > 1
}
