import { joinHostPort } from '@kube-rules/types/internal/ip'
import { backingListOf } from '../internal/lazy-array.js'
import type { Endpoint } from '../model/endpoints/endpoint.js'
import { findLegacyStaleConnections } from './legacy-stale-connections.js'
import { pairServicePorts, type ServicePortChange } from './pair-service-ports.js'
import type { Plan, ServicePlan } from './plan.js'
import {
  createStaleConnectionToEndpoint,
  createStaleConnectionToFrontend,
  type StaleConnection,
  staleOfRemoved,
} from './stale-connection.js'
import { findStaleConnectionCauses, type StaleConnectionCause } from './stale-connection-causes.js'

/**
 * Returns the connections that become stale when one plan replaces another plan of the same family. The result contains
 * no duplicates. It is sorted by kind, then by address or port as strings, then by endpoint. Undefined represents a
 * plan without services; as `before`, undefined means that kube-proxy starts. These events make connections of a UDP
 * service port stale:
 *
 * - The service port gets its first serving endpoint: all connections to its frontends become stale.
 * - The service port loses an endpoint that was serving: the connections from its frontends to this endpoint become
 * stale. An endpoint that still exists, but no longer serves, is not lost.
 * - The service port is removed: all connections to its cluster IP become stale.
 *
 * The cost is proportional to the number of service plans that are not the identical object in both plans. In userspace
 * mode, `staleOfProxied` applies instead; up to v1.28, `findLegacyStaleConnections` applies instead.
 *
 * A service port that is added after its endpoints does not get its first endpoint up to v1.31 (feature
 * `newPortsKeepConnections`). Mirrors `detectStaleConntrackEntries`, `DeletedUDPClusterIPs` and `CleanStaleEntries` of
 * kube-proxy v1.30.
 */
export function findStaleConnections(before: Plan | undefined, after: Plan | undefined): readonly StaleConnection[] {
  const plan = after ?? before
  if (plan?.kernel.features.staleConnectionsKept) return []
  const pairs = pairServicePorts(servicesOf(before), servicesOf(after))
  return mergeStaleConnections(staleOf(pairs, before, after))
}

function staleOf(
  pairs: readonly ServicePortChange[],
  before: Plan | undefined,
  after: Plan | undefined,
): readonly StaleConnection[] {
  const plan = after ?? before
  if (plan?.connectionsTaken) return staleOfProxied(pairs)
  const causes = findStaleConnectionCauses(pairs, before, after)
  if (plan?.kernel.features.servingKeepsConnections === false) return findLegacyStaleConnections(causes, before, after)
  return causes.flatMap(staleOfCause)
}

/** Removes duplicates, and sorts by kind, then by address or port as text, then by endpoint. */
export function mergeStaleConnections(stale: readonly StaleConnection[]): readonly StaleConnection[] {
  const byText = new Map(stale.map((connection) => [textOf(connection), connection]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, connection]) => connection)
}

/**
 * Returns the stale connections in userspace mode: the connections to the cluster IP of a removed service port, unless
 * only its protocol changed. Mirrors `unmergeService` of the userspace proxier of kube-proxy v1.20.
 */
function staleOfProxied(pairs: readonly ServicePortChange[]): readonly StaleConnection[] {
  const names = new Set(pairs.flatMap(({ after }) => after?.id.text ?? []))
  return pairs.flatMap(({ before, after }) => {
    const isGone = after === undefined && before !== undefined && !names.has(before.id.text)
    if (!isGone || before.id.protocol !== 'UDP') return []
    return [{ kind: 'address', protocol: 'UDP', address: before.clusterIP }]
  })
}

function servicesOf(plan: Plan | undefined): readonly ServicePlan[] {
  return plan === undefined ? [] : backingListOf(plan, 'services')
}

function staleOfCause(cause: StaleConnectionCause): readonly StaleConnection[] {
  if (cause.kind === 'removed') return staleOfRemoved(cause.before)
  const { after, endpointsBefore } = cause
  if (hasServing(after.endpoints) && !hasServing(endpointsBefore)) {
    return after.frontends.map(createStaleConnectionToFrontend)
  }
  return lostEndpoints(endpointsBefore, after).flatMap((ip) =>
    after.frontends.map((frontend) => createStaleConnectionToEndpoint(frontend, ip)),
  )
}

function hasServing(endpoints: readonly Endpoint[]): boolean {
  return endpoints.some(({ serving }) => serving)
}

/** Returns the IPs of endpoints that were serving and no longer exist. */
function lostEndpoints(before: readonly Endpoint[], after: ServicePlan): readonly string[] {
  const known = new Set(after.endpoints.map(({ text }) => text))
  return before.filter(({ serving, text }) => serving && !known.has(text)).map(({ ip }) => ip)
}

function textOf(stale: StaleConnection): string {
  const to = 'address' in stale ? stale.address : stale.port
  return 'endpoint' in stale ? `${stale.kind} ${to} ${stale.endpoint}` : `${stale.kind} ${to}`
}

/** A UDP connection in the conntrack table: its original destination, and the source of the replies. */
interface LiveConnection {
  readonly originalDestination: string
  readonly originalDestinationPort: number
  readonly replySource: string
  readonly replySourcePort: number
}

/**
 * Returns the function that reports whether a UDP connection is stale. A connection is stale if its destination is a
 * frontend of a UDP service port, but the replies do not come from a serving endpoint of the service port. In userspace
 * mode, connections are never stale.
 *
 * Mirrors `CleanStaleEntries` of kube-proxy since v1.32. Like versions after v1.32, this function compares the address
 * and the port of the endpoint.
 */
export function createStaleConnectionCheck(plan: Plan): (connection: LiveConnection) => boolean {
  const serving = new Map<string, Set<string>>()
  for (const { id, endpoints, frontends } of plan.connectionsTaken ? [] : plan.services) {
    if (id.protocol !== 'UDP') continue
    const own = endpoints.flatMap((endpoint) => (endpoint.serving ? [endpoint.text] : []))
    // The frontend of a node port has no address, because it applies to every address.
    for (const { address = '', port } of frontends) {
      const frontend = joinHostPort(address, port)
      serving.set(frontend, new Set([...(serving.get(frontend) ?? []), ...own]))
    }
  }
  return ({ originalDestination, originalDestinationPort: port, replySource, replySourcePort }) => {
    const reply = joinHostPort(replySource, replySourcePort)
    const frontends = [joinHostPort(originalDestination, port), joinHostPort('', port)]
    return frontends.some((frontend) => serving.get(frontend)?.has(reply) === false)
  }
}
