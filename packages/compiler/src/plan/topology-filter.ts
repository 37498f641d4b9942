import type { Features } from '../configuration/features.js'
import type { Endpoint, EndpointHints } from '../endpoints/endpoint.js'
import type { NodeFacts } from '../node/node-facts.js'
import type { ServicePort } from '../services/service-port.js'

/** Whether an endpoint is meant for traffic of this node. */
export type TopologyFilter = (endpoint: Endpoint) => boolean

/**
 * Which endpoints the hints reserve for this node, or undefined where hints do not count.
 *
 * It is all or nothing: every ready endpoint must have hints of a kind, and one of them must name this node (or its
 * zone); otherwise that kind of hint is ignored. Mirrors `canUseTopology` of kube-proxy v1.30, and `topologyModeFromHints`
 * of later versions, where hints for nodes go before hints for zones.
 */
export function topologyFilter(
  servicePort: ServicePort,
  node: NodeFacts,
  features: Features,
): TopologyFilter | undefined {
  if (!servicePort.topologyHints) return undefined
  const byNode = features.nodeHints ? hintFilter(servicePort.endpoints, 'nodes', node.name) : undefined
  return byNode ?? hintFilter(servicePort.endpoints, 'zones', node.zone)
}

function hintFilter(
  endpoints: readonly Endpoint[],
  kind: keyof EndpointHints,
  wanted: string,
): TopologyFilter | undefined {
  if (wanted === '') return undefined
  const isHinted: TopologyFilter = (endpoint) => endpoint.hints[kind].includes(wanted)
  const allHaveHints = endpoints.every((endpoint) => !endpoint.ready || endpoint.hints[kind].length > 0)
  return allHaveHints && endpoints.some((endpoint) => endpoint.ready && isHinted(endpoint)) ? isHinted : undefined
}
