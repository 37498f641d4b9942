import type { Features } from '../model/configuration/features.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'
import { NO_ENDPOINTS, selectEndpoints } from './select-endpoints.js'
import { createTopologyFilter, type TopologyFilter } from './topology-filter.js'

/** The endpoints that the traffic policies of a service port allow. */
export interface CategorizedEndpoints {
  /** The endpoints for traffic policy Cluster; empty if no policy of the service port needs them. */
  readonly cluster: readonly Endpoint[]
  /** The endpoints for traffic policy Local; empty if no policy of the service port needs them. */
  readonly local: readonly Endpoint[]
  /** The union of `cluster` and `local` without duplicates, in the order of the endpoints of the service port. */
  readonly reachable: readonly Endpoint[]
  /** Whether any endpoint is usable, even if no policy permits traffic from this node to it. */
  readonly hasEndpoints: boolean
}

/**
 * Returns the endpoints that traffic of each policy may reach from this node.
 *
 * `cluster` contains the ready endpoints that topology hints permit. `local` contains the ready endpoints on this node,
 * regardless of hints. If a list would be empty, it instead contains endpoints that are still serving while they
 * terminate (feature `terminatingEndpoints`). Each list has the order of the endpoints of the service port. A list that
 * contains all endpoints is the identical array. Mirrors `CategorizeEndpoints` of kube-proxy v1.30.
 *
 * Up to v1.23, `cluster` has no terminating endpoints. With the external policy Local, it contains all ready endpoints,
 * and `local` those on this node, even if no frontend uses them. In ipvs mode, a cluster IP with the internal policy
 * Local uses `local` if that may contain terminating endpoints. Mirrors `FilterEndpoints` of kube-proxy v1.23 and its
 * callers.
 */
export function categorizeEndpoints(
  servicePort: ServicePort,
  node: NodeFacts,
  features: Features,
): CategorizedEndpoints {
  const { endpoints, externalPolicyLocal, internalPolicyLocal } = servicePort
  const { internalPolicyOfAllTraffic: isOlder, internalPolicyBesideExternal, terminatingEndpoints } = features
  const choosesAtClusterIP = internalPolicyLocal && internalPolicyBesideExternal && terminatingEndpoints
  const isReplacement = terminatingEndpoints ? isDraining : isNone
  const usesLocal = isOlder ? externalPolicyLocal || choosesAtClusterIP : usesLocalEndpoints(servicePort)
  const local = usesLocal ? localEndpoints(endpoints, isReplacement) : NO_ENDPOINTS
  const cluster = isOlder
    ? clusterEndpoints(endpoints, limitation(servicePort, node, features), isNone)
    : usesClusterEndpoints(servicePort)
      ? clusterEndpoints(endpoints, createTopologyFilter(servicePort, node, features), isReplacement)
      : NO_ENDPOINTS
  return {
    cluster,
    local,
    reachable: eitherOf(endpoints, cluster, local),
    hasEndpoints:
      isOlder && !externalPolicyLocal
        ? cluster.length + local.length > 0
        : endpoints.some((endpoint) => endpoint.ready || isReplacement(endpoint)),
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

/**
 * Returns the condition for the cluster endpoints up to v1.23, or undefined if there is none. Without the external
 * policy Local, they are limited: by the topology keys, else to this node by the internal policy Local, else by the
 * topology hints. Keys and hints of endpoints that are not ready count, too.
 */
function limitation(servicePort: ServicePort, node: NodeFacts, features: Features): Condition | undefined {
  const { externalPolicyLocal, internalPolicyLocal, topologyHints, topologyKeys } = servicePort
  if (externalPolicyLocal) return undefined
  if (topologyKeys !== undefined) return topologyKeysFilter(topologyKeys, servicePort.endpoints, node)
  if (internalPolicyLocal) return isLocal
  if (!topologyHints) return undefined
  const endpoints = servicePort.endpoints.map((endpoint) => ({ ...endpoint, ready: true }))
  return createTopologyFilter({ ...servicePort, endpoints }, node, features)
}

/**
 * Returns the filter for endpoints on nodes with the same value of a label as this node. The label is the first
 * topology key that matches an endpoint in this way. The key `*` selects all endpoints. Returns undefined if there are
 * no keys. If no key matches, the filter selects no endpoint. Mirrors `FilterTopologyEndpoint` of kube-proxy v1.17 to
 * v1.21.
 */
function topologyKeysFilter(
  topologyKeys: readonly string[],
  endpoints: readonly Endpoint[],
  { labels }: NodeFacts,
): Condition | undefined {
  if (topologyKeys.length === 0) return undefined
  const filters = topologyKeys.map((key): Condition => {
    const value = labels?.get(key)
    return ({ topology }) => key === '*' || (value !== undefined && topology?.get(key) === value)
  })
  return filters.find((filter) => endpoints.some(filter)) ?? isNone
}

function isLocal({ local }: Endpoint): boolean {
  return local
}

function isNone(): boolean {
  return false
}
