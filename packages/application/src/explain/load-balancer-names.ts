import { findLoadBalancerHosts } from '@kube-rules/analyzer/explain'
import type { ServiceDestination } from './destination.js'
import type { ExplainedNode } from './explained-node.js'

const NO_RULES = 'kube-proxy has no rules for host names, so packets to it leave the node to the load balancer'
const ADVICE = 'to follow the packets that arrive from it, use node:NODE-PORT --from outside, or an endpoint'

/** Describes why packets to a host name cannot be followed. */
export function describeHost(host: string, { services = [] }: Pick<ExplainedNode, 'services'>): string {
  const found = findLoadBalancerHosts(services).find((each) => each.host.toLowerCase() === host)
  return found === undefined
    ? `${host} is a host name, and no Service has it in its status; expected an address, or a Service such as default/web`
    : `${host} is the load balancer of ${found.service}, and the objects do not contain its addresses; ${NO_RULES}; ${ADVICE}`
}

/** Returns a note for each load balancer of a Service without an address. Packets to it are not explained. */
export function noteHosts(
  { namespace, name }: ServiceDestination,
  { services = [] }: Pick<ExplainedNode, 'services'>,
): readonly string[] {
  return findLoadBalancerHosts(services).flatMap(({ service, host }) =>
    service === `${namespace}/${name}` || (namespace === undefined && service.endsWith(`/${name}`))
      ? `note: the load balancer ${host} of ${service} has no address in the objects: ${NO_RULES}; ${ADVICE}`
      : [],
  )
}
