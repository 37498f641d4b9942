import type { Features } from '../model/configuration/features.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'
import type { CategorizedEndpoints } from './categorized-endpoints.js'
import { filterEndpoints } from './filter-endpoints.js'
import { NO_ENDPOINTS, selectEndpoints } from './select-endpoints.js'
import { createTopologyFilter, type TopologyFilter } from './topology-filter.js'

/**
 * Returns the endpoints that traffic of each policy may reach from this node.
 *
 * `cluster` contains the ready endpoints that topology hints permit. `local` contains the ready endpoints on this node,
 * regardless of hints. If a list would be empty, it instead contains endpoints that are still serving while they
 * terminate (feature `terminatingEndpoints`). Each list has the order of the endpoints of the service port. A list that
 * contains all endpoints is the identical array. Mirrors `CategorizeEndpoints` of kube-proxy v1.30.
 */
export function categorizeEndpoints(
  servicePort: ServicePort,
  node: NodeFacts,
  features: Features,
): CategorizedEndpoints {
  if (features.internalPolicyOfAllTraffic) return filterEndpoints(servicePort, node, features)
  const { endpoints } = servicePort
  const isReplacement = features.terminatingEndpoints ? isDraining : isNoReplacement
  const cluster = usesClusterEndpoints(servicePort)
    ? clusterEndpoints(endpoints, createTopologyFilter(servicePort, node, features), isReplacement)
    : NO_ENDPOINTS
  const local = usesLocalEndpoints(servicePort) ? localEndpoints(endpoints, isReplacement) : NO_ENDPOINTS
  return {
    cluster,
    local,
    reachable: eitherOf(endpoints, cluster, local),
    hasEndpoints: endpoints.some((endpoint) => endpoint.ready || isReplacement(endpoint)),
  }
}

/**
 * Reports whether some traffic may use endpoints on any node. This is also true if the external policy is Local,
 * because pods and the node itself still reach all endpoints. Mirrors `UsesClusterEndpoints` of kube-proxy v1.30.
 */
export function usesClusterEndpoints(servicePort: ServicePort): boolean {
  return !servicePort.internalPolicyLocal || isExternallyAccessible(servicePort)
}

/**
 * Reports whether some traffic is limited to endpoints on this node. Mirrors `UsesLocalEndpoints` of kube-proxy v1.30.
 */
export function usesLocalEndpoints(servicePort: ServicePort): boolean {
  return servicePort.internalPolicyLocal || (servicePort.externalPolicyLocal && isExternallyAccessible(servicePort))
}

/**
 * Reports whether the service port has any frontend other than the cluster IP. Mirrors `ExternallyAccessible` of
 * kube-proxy v1.30.
 */
export function isExternallyAccessible({ nodePort, loadBalancerIPs, externalIPs }: ServicePort): boolean {
  return nodePort !== 0 || loadBalancerIPs.length > 0 || externalIPs.length > 0
}

type Condition = (endpoint: Endpoint) => boolean

function clusterEndpoints(
  endpoints: readonly Endpoint[],
  topology: TopologyFilter | undefined,
  isReplacement: Condition,
): readonly Endpoint[] {
  const ready = selectEndpoints(endpoints, (endpoint) => endpoint.ready && (topology?.(endpoint) ?? true))
  return ready.length > 0 ? ready : selectEndpoints(endpoints, isReplacement)
}

function localEndpoints(endpoints: readonly Endpoint[], isReplacement: Condition): readonly Endpoint[] {
  const ready = selectEndpoints(endpoints, (endpoint) => endpoint.local && endpoint.ready)
  return ready.length > 0 ? ready : selectEndpoints(endpoints, (endpoint) => endpoint.local && isReplacement(endpoint))
}

/**
 * Reports whether an endpoint is serving and terminating. An endpoint that is serving but neither ready nor terminating
 * is unusable.
 */
function isDraining(endpoint: Endpoint): boolean {
  return endpoint.serving && endpoint.terminating
}

function isNoReplacement(): boolean {
  return false
}

function eitherOf(
  endpoints: readonly Endpoint[],
  cluster: readonly Endpoint[],
  local: readonly Endpoint[],
): readonly Endpoint[] {
  if (cluster === endpoints || local.length === 0) return cluster
  if (cluster.length === 0) return local
  const either = new Set([...cluster, ...local])
  return either.size === cluster.length ? cluster : endpoints.filter((endpoint) => either.has(endpoint))
}
