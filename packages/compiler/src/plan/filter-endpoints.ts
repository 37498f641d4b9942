import type { Features } from '../model/configuration/features.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'
import type { CategorizedEndpoints } from './categorized-endpoints.js'
import { NO_ENDPOINTS, selectEndpoints } from './select-endpoints.js'
import { createTopologyFilter } from './topology-filter.js'

/**
 * Returns the endpoints that traffic may reach from this node, in versions up to v1.23. Without the external policy
 * Local, `cluster` is limited: to endpoints on this node with the internal policy Local, otherwise to the endpoints
 * that the topology hints or topology keys select. With the external policy Local, `cluster` contains all ready
 * endpoints, and `local` those on this node, even if no frontend uses them. Mirrors `FilterEndpoints` of kube-proxy
 * v1.23.
 */
export function filterEndpoints(servicePort: ServicePort, node: NodeFacts, features: Features): CategorizedEndpoints {
  const isLimited = limitation(servicePort, node, features)
  const cluster = selectEndpoints(servicePort.endpoints, (endpoint) => endpoint.ready && isLimited(endpoint))
  const local = servicePort.externalPolicyLocal ? selectEndpoints(cluster, isLocal) : NO_ENDPOINTS
  return { cluster, local, reachable: cluster, hasEndpoints: cluster.length > 0 }
}

function limitation(servicePort: ServicePort, node: NodeFacts, features: Features): (endpoint: Endpoint) => boolean {
  if (servicePort.externalPolicyLocal) return isAny
  if (servicePort.internalPolicyLocal) return isLocal
  return createTopologyFilter(servicePort, node, features) ?? topologyKeysFilter(servicePort, node) ?? isAny
}

/**
 * Returns the filter for endpoints on nodes with the same value of a label as this node. The label is the first
 * topology key that matches a ready endpoint in this way. The key `*` selects all endpoints. If no key matches, the
 * filter selects no endpoint. Mirrors `FilterTopologyEndpoint` of kube-proxy v1.17 to v1.21.
 */
function topologyKeysFilter(
  { topologyKeys = [], endpoints }: ServicePort,
  { labels }: NodeFacts,
): ((endpoint: Endpoint) => boolean) | undefined {
  if (topologyKeys.length === 0) return undefined
  const filters = topologyKeys.map((key) => (key === '*' ? isAny : hasLabel(key, labels?.get(key))))
  return filters.find((filter) => endpoints.some((endpoint) => endpoint.ready && filter(endpoint))) ?? isNone
}

function hasLabel(key: string, value: string | undefined): (endpoint: Endpoint) => boolean {
  return ({ topology }) => value !== undefined && topology?.get(key) === value
}

function isLocal({ local }: Endpoint): boolean {
  return local
}

function isAny(): boolean {
  return true
}

function isNone(): boolean {
  return false
}
