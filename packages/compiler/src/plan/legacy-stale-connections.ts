import { isLoopback } from '@kube-rules/types/internal/ip'
import type { Features } from '../model/configuration/features.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import { nodeAddressesOf } from '../model/services/conflicts.js'
import type { Frontend, Plan, ServicePlan } from './plan.js'
import {
  createStaleConnectionToEndpoint,
  createStaleConnectionToFrontend,
  type StaleConnection,
  staleOfRemoved,
} from './stale-connection.js'
import type { StaleConnectionCause } from './stale-connection-causes.js'

/**
 * Returns the stale connections in versions up to v1.28. Unlike in newer versions, an endpoint keeps its connections
 * only while it is ready, and a changed endpoint is treated like a removed endpoint. Node ports have separate
 * conditions, which depend on the version and the mode. Mirrors `detectStaleConnections`, `deleteEndpointConnections`
 * and `openLocalPort` of kube-proxy v1.14 to v1.28.
 */
export function findLegacyStaleConnections(
  causes: readonly StaleConnectionCause[],
  before: Plan | undefined,
  after: Plan | undefined,
): readonly StaleConnection[] {
  const features = (after ?? before)?.kernel.features
  if (features === undefined) return []
  return [...causes.flatMap((cause) => staleOfCause(cause, features)), ...staleNodePorts(before, after, features)]
}

function staleOfCause(cause: StaleConnectionCause, features: Features): readonly StaleConnection[] {
  if (cause.kind === 'removed') return staleOfRemoved(cause.before)
  const { after, endpointsBefore } = cause
  const destinations = destinationsOf(after)
  const isFirst = hasCounting(after.endpoints, features) && !hasCounting(endpointsBefore, features)
  const emptied = isFirst ? destinations.filter((each) => isStaleAtFirst(each, features)) : []
  const leading = destinationsToLost(destinations, features)
  return [
    ...emptied.map(createStaleConnectionToFrontend),
    ...lostEndpoints(endpointsBefore, after, features).flatMap(({ ip }) =>
      leading.map((each) => createStaleConnectionToEndpoint(each, ip)),
    ),
  ]
}

/** A frontend, or a node port that no address of the node serves. */
type Destination = Pick<Frontend, 'kind' | 'address' | 'port'>

function destinationsOf({ frontends, unservedNodePort: port }: ServicePlan): readonly Destination[] {
  return port === undefined ? frontends : [...frontends, { kind: 'nodePort', port }]
}

/** Reports whether connections to a destination become stale when its service port gets the first endpoint. */
function isStaleAtFirst({ kind }: Destination, features: Features): boolean {
  if (kind === 'loadBalancer') return features.firstEndpointAtLoadBalancers
  return kind !== 'nodePort' || features.firstEndpointAtNodePort
}

/** Returns the destinations that get stale connections if an endpoint is lost. */
function destinationsToLost(destinations: readonly Destination[], features: Features): readonly Destination[] {
  const withNodePort = destinations.some(({ kind }) => kind === 'nodePort')
  const isKept = features.nodePortInsteadOfClusterIP && withNodePort ? 'clusterIP' : undefined
  return destinations.filter(({ kind }) => kind !== isKept && (kind !== 'nodePort' || features.lostEndpointAtNodePort))
}

function hasCounting(endpoints: readonly Endpoint[], features: Features): boolean {
  return endpoints.some((endpoint) => isCounting(endpoint, features))
}

function isCounting({ ready }: Endpoint, { unreadyLosesConnections }: Features): boolean {
  return ready || !unreadyLosesConnections
}

/** Returns the endpoints that had connections and that the new plan does not contain unchanged. */
function lostEndpoints(before: readonly Endpoint[], after: ServicePlan, features: Features): readonly Endpoint[] {
  const textOf = ({ text, local, ready }: Endpoint) =>
    [text, local, ready || !features.unreadyLosesConnections].join(' ')
  const known = new Set(after.endpoints.map(textOf))
  return before.filter((endpoint) => isCounting(endpoint, features) && !known.has(textOf(endpoint)))
}

function staleNodePorts(
  before: Plan | undefined,
  after: Plan | undefined,
  features: Features,
): readonly StaleConnection[] {
  if (features.openedNodePorts) {
    const opened = openNodePorts(before)
    return [...openNodePorts(after)].flatMap(([key, frontend]) =>
      opened.has(key) ? [] : [createStaleConnectionToFrontend(frontend)],
    )
  }
  if (!features.nodePortsAlwaysStale || after === undefined || !hasNodePortAddress(after)) return []
  return after.services.flatMap((service) => nodePortsOf(service).map(createStaleConnectionToFrontend))
}

/**
 * Returns the node ports that kube-proxy has opened, by service port and address. A port that moves from one service
 * port to another is opened again. Up to v1.18, kube-proxy also opens node ports on addresses of the other family.
 */
function openNodePorts(plan: Plan | undefined): ReadonlyMap<string, Frontend> {
  if (plan === undefined) return new Map()
  const { nodePorts, node } = plan
  const addresses = nodePorts.all ? ['all'] : [...nodePorts.addresses, ...(node.nodePorts.otherFamilyAddresses ?? [])]
  return new Map(
    plan.services.flatMap((service) =>
      nodePortsOf(service).flatMap((frontend) =>
        addresses.map((address) => [[service.id.text, frontend.port, address].join(' '), frontend] as const),
      ),
    ),
  )
}

function nodePortsOf({ id, frontends }: ServicePlan): readonly Frontend[] {
  return id.protocol === 'UDP' ? frontends.filter(({ kind }) => kind === 'nodePort') : []
}

function hasNodePortAddress({ node, nodePorts }: Plan): boolean {
  const addresses = nodePorts.all ? [...nodeAddressesOf(node)] : nodePorts.addresses
  return addresses.some((address) => !isLoopback(address))
}
