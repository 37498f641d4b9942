import type { Features } from '../model/configuration/features.js'
import type { Endpoint, EndpointHints } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'

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
  return ignoredHints(endpoints, kind, wanted) === undefined
    ? (endpoint) => endpoint.hints[kind].includes(wanted)
    : undefined
}

/** Why hints of a kind do not count: the first reason that decides. */
export type IgnoredHints =
  /** The node has no zone, or no name. */
  | { readonly because: 'nodeUnknown' }
  /** A ready endpoint has no hint of the kind. */
  | { readonly because: 'endpointWithoutHint'; readonly endpoint: Endpoint }
  /** No ready endpoint is hinted for this node, or its zone. */
  | { readonly because: 'noneForThisNode' }

/** Why the hints of a kind for a node or zone of the name `wanted` do not count; undefined where they do. */
export function ignoredHints(
  endpoints: readonly Endpoint[],
  kind: keyof EndpointHints,
  wanted: string,
): IgnoredHints | undefined {
  if (wanted === '') return { because: 'nodeUnknown' }
  const endpoint = endpoints.find((each) => each.ready && each.hints[kind].length === 0)
  if (endpoint !== undefined) return { because: 'endpointWithoutHint', endpoint }
  return endpoints.some((each) => each.ready && each.hints[kind].includes(wanted))
    ? undefined
    : { because: 'noneForThisNode' }
}
