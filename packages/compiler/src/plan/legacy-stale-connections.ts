import { isLoopback } from '@kube-rules/types/internal/ip'
import type { Features } from '../model/configuration/features.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import { nodeAddressesOf } from '../model/services/conflicts.js'
import type { ServicePortChange } from './pair-service-ports.js'
import type { Frontend, Plan, ServicePlan } from './plan.js'
import {
  createStaleConnectionToEndpoint,
  createStaleConnectionToFrontend,
  isClusterIP,
  type StaleConnection,
} from './stale-connection.js'

/**
 * Returns the stale connections in versions up to v1.28. Unlike in newer versions, an endpoint keeps its connections
 * only while it is ready, and a changed endpoint is treated like a removed endpoint. Node ports have separate
 * conditions, which depend on the version and the mode. Mirrors `detectStaleConnections`, `deleteEndpointConnections`
 * and `openLocalPort` of kube-proxy v1.14 to v1.28.
 */
export function findLegacyStaleConnections(
  pairs: readonly ServicePortChange[],
  before: Plan | undefined,
  after: Plan | undefined,
): readonly StaleConnection[] {
  const features = (after ?? before)?.kernel.features
  if (features === undefined) return []
  return [...pairs.flatMap((pair) => staleOfService(pair, features)), ...staleNodePorts(before, after, features)]
}

function staleOfService({ before, after }: ServicePortChange, features: Features): readonly StaleConnection[] {
  if ((after ?? before)?.id.protocol !== 'UDP') return []
  if (after === undefined) return before?.frontends.filter(isClusterIP).map(createStaleConnectionToFrontend) ?? []
  const first = hasCounting(after, features) && !hasCounting(before, features)
  const emptied = first ? after.frontends.filter((frontend) => isStaleAtFirst(frontend, features)) : []
  const unserved = first && features.firstEndpointAtNodePort ? unservedNodePorts(after) : []
  const leading = frontendsToLost(after, features)
  return [
    ...emptied.map(createStaleConnectionToFrontend),
    ...unserved,
    ...lostEndpoints(before, after, features).flatMap(({ ip }) =>
      leading.map((each) => createStaleConnectionToEndpoint(each, ip)),
    ),
  ]
}

function unservedNodePorts({ unservedNodePort: port }: ServicePlan): readonly StaleConnection[] {
  return port === undefined ? [] : [{ kind: 'nodePort', protocol: 'UDP', port }]
}

/** Reports whether connections to a frontend become stale when its service port gets the first endpoint. */
function isStaleAtFirst({ kind }: Frontend, features: Features): boolean {
  if (kind === 'loadBalancer') return features.firstEndpointAtLoadBalancers
  return kind !== 'nodePort' || features.firstEndpointAtNodePort
}

/** Returns the frontends that get stale connections if an endpoint is lost. */
function frontendsToLost({ frontends }: ServicePlan, features: Features): readonly Frontend[] {
  const withNodePort = frontends.some(({ kind }) => kind === 'nodePort')
  const isKept = features.nodePortInsteadOfClusterIP && withNodePort ? 'clusterIP' : undefined
  return frontends.filter(({ kind }) => kind !== isKept && (kind !== 'nodePort' || features.lostEndpointAtNodePort))
}

function hasCounting(service: ServicePlan | undefined, features: Features): boolean {
  return service?.endpoints.some((endpoint) => isCounting(endpoint, features)) ?? false
}

function isCounting({ ready }: Endpoint, { unreadyLosesConnections }: Features): boolean {
  return ready || !unreadyLosesConnections
}

/** Returns the endpoints of the old plan that had connections and that the new plan does not contain unchanged. */
function lostEndpoints(before: ServicePlan | undefined, after: ServicePlan, features: Features): readonly Endpoint[] {
  const textOf = ({ text, local, ready }: Endpoint) =>
    [text, local, ready || !features.unreadyLosesConnections].join(' ')
  const known = new Set(after.endpoints.map(textOf))
  return before?.endpoints.filter((endpoint) => isCounting(endpoint, features) && !known.has(textOf(endpoint))) ?? []
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
 * port to another is opened again.
 */
function openNodePorts(plan: Plan | undefined): ReadonlyMap<string, Frontend> {
  if (plan === undefined) return new Map()
  const addresses = plan.nodePorts.all ? ['all'] : plan.nodePorts.addresses
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
