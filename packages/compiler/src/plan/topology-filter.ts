import type { Features } from '../model/configuration/features.js'
import type { Endpoint, EndpointHints } from '../model/endpoints/endpoint.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'

/** Reports whether traffic of this node may use an endpoint. */
export type TopologyFilter = (endpoint: Endpoint) => boolean

/**
 * Returns the filter for endpoints with hints for this node, or undefined if hints are ignored.
 *
 * The kinds of hints are node hints and zone hints. A kind is used only if every ready endpoint has hints of this kind,
 * and at least one of these hints names this node or its zone. Node hints have precedence over zone hints. Mirrors
 * `canUseTopology` of kube-proxy v1.30, and `topologyModeFromHints` of later versions.
 */
export function createTopologyFilter(
  servicePort: ServicePort,
  node: NodeFacts,
  features: Features,
): TopologyFilter | undefined {
  if (!servicePort.topologyHints) return undefined
  const { endpoints } = servicePort
  if (features.nodeHints && node.name !== '' && findIgnoredHints(endpoints, 'nodes', node.name) === undefined)
    return (endpoint) => endpoint.hints.nodes.includes(node.name)
  if (findIgnoredZoneHints(endpoints, node, features) !== undefined) return undefined
  return (endpoint) => endpoint.hints.zones.includes(node.zone)
}

/** The first reason found for ignoring one kind of hints. */
export type IgnoredHints =
  /** The zone or the name of the node is unknown. */
  | { readonly kind: 'nodeUnknown' }
  /** At least one ready endpoint has no hint of this kind. */
  | { readonly kind: 'endpointWithoutHint'; readonly endpoint: Endpoint }
  /** No ready endpoint has a hint for this node, or its zone. */
  | { readonly kind: 'noneForThisNode' }

const NODE_UNKNOWN: IgnoredHints = { kind: 'nodeUnknown' }

/**
 * Returns the reason for ignoring zone hints, or undefined if the hints are used. A Node without a zone has the zone
 * with the empty name if the feature `emptyZoneHints` is on.
 */
export function findIgnoredZoneHints(
  endpoints: readonly Endpoint[],
  { zone }: Pick<NodeFacts, 'zone'>,
  { emptyZoneHints }: Pick<Features, 'emptyZoneHints'>,
): IgnoredHints | undefined {
  const ignored = zone !== '' || emptyZoneHints ? findIgnoredHints(endpoints, 'zones', zone) : NODE_UNKNOWN
  return ignored && zone === '' ? NODE_UNKNOWN : ignored
}

/** Returns the reason for ignoring one kind of hints, or undefined if the hints are used. */
function findIgnoredHints(
  endpoints: readonly Endpoint[],
  kind: keyof EndpointHints,
  expected: string,
): IgnoredHints | undefined {
  const endpoint = endpoints.find((each) => each.ready && each.hints[kind].length === 0)
  if (endpoint !== undefined) return { kind: 'endpointWithoutHint', endpoint }
  return endpoints.some((each) => each.ready && each.hints[kind].includes(expected))
    ? undefined
    : { kind: 'noneForThisNode' }
}
