import { listBehind } from '../internal/array-of-list.js'
import { type ChunkedList, EMPTY_LIST } from '../internal/chunked-list.js'
import { pairServices, type ServicePair } from './pair-services.js'
import type { Frontend, Plan, ServicePlan } from './plan.js'

/**
 * Connections that go on as an earlier plan decided and have to be forgotten, so that their next packet is decided anew:
 * all that fit what is said here. Only those over UDP, where nothing but silence ends a connection.
 */
export type StaleConnection = StaleAddress | StaleAddressAndEndpoint | StaleNodePort | StaleNodePortAndEndpoint

export interface StaleConnectionFields {
  readonly protocol: 'UDP'
}

/** Those to an address, whatever their port and endpoint. */
export interface StaleAddress extends StaleConnectionFields {
  readonly kind: 'address'
  readonly address: string
}

/** Those to an address that an endpoint answers. */
export interface StaleAddressAndEndpoint extends StaleConnectionFields {
  readonly kind: 'addressAndEndpoint'
  readonly address: string
  /** Its IP; its port does not count. */
  readonly endpoint: string
}

/** Those to a node port, on whatever address. */
export interface StaleNodePort extends StaleConnectionFields {
  readonly kind: 'nodePort'
  readonly port: number
}

/** Those to a node port that an endpoint answers. */
export interface StaleNodePortAndEndpoint extends StaleConnectionFields {
  readonly kind: 'nodePortAndEndpoint'
  readonly port: number
  /** Its IP; its port does not count. */
  readonly endpoint: string
}

/**
 * What has to be forgotten when one plan takes the place of another of the same family, each once, sorted by kind, then
 * by address or port as text, then by endpoint. Undefined stands for a plan without services; as `before` it means that
 * kube-proxy starts.
 *
 * - A UDP service port gets its first serving endpoint: everything sent to one of its frontends.
 * - It loses an endpoint that served: what each of its frontends sent there. An endpoint that is still known, though it
 *   does not serve any more, is not lost.
 * - It is gone: everything sent to its cluster IP.
 *
 * The cost is that of the service plans that are not the identical object in both plans.
 *
 * Where a process takes the connections: `staleOfProxied`.
 *
 * Mirrors `detectStaleConntrackEntries`, `DeletedUDPClusterIPs` and `CleanStaleEntries` of kube-proxy v1.30, but for
 * endpoints without a service port, which a plan does not know: a service port that comes after its endpoints counts as
 * one that gets its first.
 */
export function staleConnections(before: Plan | undefined, after: Plan | undefined): readonly StaleConnection[] {
  const pairs = pairServices(servicesOf(before), servicesOf(after))
  const isProxied = (after ?? before)?.connectionsTaken
  const stale = isProxied ? staleOfProxied(pairs) : pairs.flatMap(staleOfService)
  return joinStaleConnections(stale)
}

/** Each once, sorted by kind, then by address or port as text, then by endpoint. */
export function joinStaleConnections(stale: readonly StaleConnection[]): readonly StaleConnection[] {
  const byText = new Map(stale.map((connection) => [textOf(connection), connection]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, connection]) => connection)
}

/**
 * A process that takes connections forgets what was sent to the cluster IP of a service port that is gone; one whose protocol
 * has become another is not. Mirrors `unmergeService` of the userspace proxier of kube-proxy v1.20.
 */
function staleOfProxied(pairs: readonly ServicePair[]): readonly StaleConnection[] {
  const names = new Set(pairs.flatMap(({ after }) => after?.id.text ?? []))
  return pairs.flatMap(({ before, after }) => {
    const isGone = after === undefined && before !== undefined && !names.has(before.id.text)
    if (!isGone || before.id.protocol !== 'UDP') return []
    return [{ kind: 'address', protocol: 'UDP', address: before.clusterIP }]
  })
}

function servicesOf(plan: Plan | undefined): ChunkedList<ServicePlan> {
  return plan === undefined ? EMPTY_LIST : listBehind(plan, 'services')
}

function staleOfService({ before, after }: ServicePair): readonly StaleConnection[] {
  if ((after ?? before)?.id.protocol !== 'UDP') return []
  if (after === undefined) return before?.frontends.filter(isClusterIP).map(toFrontend) ?? []
  if (hasServing(after) && !hasServing(before)) return after.frontends.map(toFrontend)
  return lostEndpoints(before, after).flatMap((ip) => after.frontends.map((frontend) => toEndpoint(frontend, ip)))
}

function hasServing(service: ServicePlan | undefined): boolean {
  return service?.endpoints.some(({ serving }) => serving) ?? false
}

/** The IPs of endpoints that served and are not known any more. */
function lostEndpoints(before: ServicePlan | undefined, after: ServicePlan): readonly string[] {
  const known = new Set(after.endpoints.map(({ text }) => text))
  const lost = before?.endpoints.filter(({ serving, text }) => serving && !known.has(text)) ?? []
  return lost.map(({ ip }) => ip)
}

function isClusterIP({ kind }: Frontend): boolean {
  return kind === 'clusterIP'
}

function toFrontend({ address, port }: Frontend): StaleConnection {
  return address === undefined
    ? { kind: 'nodePort', protocol: 'UDP', port }
    : { kind: 'address', protocol: 'UDP', address }
}

function toEndpoint({ address, port }: Frontend, endpoint: string): StaleConnection {
  return address === undefined
    ? { kind: 'nodePortAndEndpoint', protocol: 'UDP', port, endpoint }
    : { kind: 'addressAndEndpoint', protocol: 'UDP', address, endpoint }
}

function textOf(stale: StaleConnection): string {
  const to = 'address' in stale ? stale.address : stale.port
  return 'endpoint' in stale ? `${stale.kind} ${to} ${stale.endpoint}` : `${stale.kind} ${to}`
}
