import type { Features } from '../model/configuration/features.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'
import { NO_ENDPOINTS, selectEndpoints } from './select-endpoints.js'
import { type TopologyFilter, topologyFilter } from './topology-filter.js'

export interface CategorizedEndpoints {
  /** For traffic policy Cluster; empty where no policy of the service port needs it. */
  readonly cluster: readonly Endpoint[]
  /** For traffic policy Local; empty where no policy of the service port needs it. */
  readonly local: readonly Endpoint[]
  /** Both together, in the order of the service port's endpoints, each once. */
  readonly reachable: readonly Endpoint[]
  /** Whether any endpoint anywhere is usable, even where no policy allows it from here. */
  readonly hasEndpoints: boolean
}

/**
 * The endpoints that traffic of each policy may reach from this node.
 *
 * `cluster` holds the ready endpoints the topology hints allow, `local` the ready endpoints on this node whatever their
 * hints. Each falls back, on its own, to endpoints that still serve while they terminate when it has no ready one.
 * Mirrors `CategorizeEndpoints` of kube-proxy v1.30. Lists keep the order of the service port's endpoints, and a list
 * that holds all of them is the same array.
 */
export function categorizeEndpoints(
  servicePort: ServicePort,
  node: NodeFacts,
  features: Features,
): CategorizedEndpoints {
  const { endpoints } = servicePort
  const cluster = usesClusterEndpoints(servicePort)
    ? clusterEndpoints(endpoints, topologyFilter(servicePort, node, features))
    : NO_ENDPOINTS
  const local = usesLocalEndpoints(servicePort) ? localEndpoints(endpoints) : NO_ENDPOINTS
  return {
    cluster,
    local,
    reachable: eitherOf(endpoints, cluster, local),
    hasEndpoints: endpoints.some((endpoint) => endpoint.ready || isDraining(endpoint)),
  }
}

/**
 * Whether some traffic may go to endpoints anywhere. External policy Local alone does not end that: pods and the node
 * itself still reach all endpoints. Mirrors `UsesClusterEndpoints` of kube-proxy v1.30.
 */
export function usesClusterEndpoints(servicePort: ServicePort): boolean {
  return !servicePort.internalPolicyLocal || isExternallyAccessible(servicePort)
}

/** Whether some traffic may only go to endpoints on this node. Mirrors `UsesLocalEndpoints` of kube-proxy v1.30. */
export function usesLocalEndpoints(servicePort: ServicePort): boolean {
  return servicePort.internalPolicyLocal || (servicePort.externalPolicyLocal && isExternallyAccessible(servicePort))
}

/** Whether there is any other way in than the cluster IP. Mirrors `ExternallyAccessible` of kube-proxy v1.30. */
export function isExternallyAccessible({ nodePort, loadBalancerIPs, externalIPs }: ServicePort): boolean {
  return nodePort !== 0 || loadBalancerIPs.length > 0 || externalIPs.length > 0
}

function clusterEndpoints(endpoints: readonly Endpoint[], topology: TopologyFilter | undefined): readonly Endpoint[] {
  const ready = selectEndpoints(endpoints, (endpoint) => endpoint.ready && (topology?.(endpoint) ?? true))
  return ready.length > 0 ? ready : selectEndpoints(endpoints, isDraining)
}

function localEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const ready = selectEndpoints(endpoints, (endpoint) => endpoint.local && endpoint.ready)
  return ready.length > 0 ? ready : selectEndpoints(endpoints, (endpoint) => endpoint.local && isDraining(endpoint))
}

/** Serving and neither ready nor terminating is an endpoint nobody may use. */
function isDraining(endpoint: Endpoint): boolean {
  return endpoint.serving && endpoint.terminating
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
