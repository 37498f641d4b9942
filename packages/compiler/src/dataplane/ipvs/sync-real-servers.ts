import type { RealServer, VirtualServer, VirtualServerProtocol } from './ast.js'
import { formatRealServer, formatRealServerKey, formatVirtualServer } from './format-server.js'

/**
 * Returns the number of active and inactive connections of a real server. The arguments are `10.96.0.9:80/TCP` and
 * `10.244.2.2:8080`.
 */
export type ConnectionCounter = (virtualServer: string, realServer: string) => number

/** One change of a real server. */
export interface RealServerChange {
  /** The kind of change: the real server is added, edited or deleted. */
  readonly action: 'add' | 'update' | 'delete'
  /** `10.96.0.9:80/TCP/10.244.2.2:8080`. */
  readonly key: string
  /** The virtual server of the real server. */
  readonly virtualServer: VirtualServer
  /** The real server after the change, or before its deletion. */
  readonly realServer: RealServer
}

/**
 * The protocols that have their real servers deleted immediately by default. Real servers of other protocols stay until their
 * connections end.
 */
const DELETED_AT_ONCE: readonly VirtualServerProtocol[] = ['UDP', 'SCTP']

/** The context for syncing the real servers of one virtual server. */
export interface RealServerSyncContext {
  /** The keys of the real servers that are already terminating. */
  readonly waiting: ReadonlySet<string>
  /** A function that returns the number of connections of a real server. */
  readonly connections: ConnectionCounter
  /** Whether this is the first sync since kube-proxy started. Default: false. */
  readonly firstSync?: boolean | undefined
  /** Whether the first sync resets weights. Default: true. */
  readonly weightsReset?: boolean | undefined
  /**
   * The protocols with immediate deletion: their real servers are deleted even if they have connections. Default: UDP
   * and SCTP.
   */
  readonly deletedAtOnce?: readonly VirtualServerProtocol[] | undefined
}

export interface RealServerSyncResult {
  /** The virtual server after the sync, with its expected and its terminating real servers. */
  readonly virtualServer: VirtualServer
  readonly changes: readonly RealServerChange[]
  /** The keys of the real servers that start terminating. */
  readonly delayed: readonly string[]
}

export function createRealServerChange(
  action: RealServerChange['action'],
  virtualServer: VirtualServer,
  realServer: RealServer,
): RealServerChange {
  return { action, key: formatRealServerKey(virtualServer, realServer), virtualServer, realServer }
}

/**
 * Reports whether an unexpected real server can be deleted immediately, because it has no connections, or because its
 * protocol is one of `deletedAtOnce`.
 */
export function isDeletable(
  virtualServer: VirtualServer,
  realServer: RealServer,
  { connections, deletedAtOnce = DELETED_AT_ONCE }: Pick<RealServerSyncContext, 'connections' | 'deletedAtOnce'>,
): boolean {
  if (deletedAtOnce.includes(virtualServer.protocol)) return true
  return connections(formatVirtualServer(virtualServer), formatRealServer(realServer)) === 0
}

/**
 * Plans the changes from the existing real servers (`held`) to those of `expected`. An unexpected real server that
 * cannot be deleted yet stays with weight 0.
 */
export function syncRealServers(
  expected: VirtualServer,
  held: readonly RealServer[],
  context: RealServerSyncContext,
): RealServerSyncResult {
  const existing = new Map(held.map((realServer) => [formatRealServer(realServer), realServer]))
  const names = new Set(expected.realServers.map(formatRealServer))
  const unwanted = held.filter((realServer) => !names.has(formatRealServer(realServer)))
  const fates = [
    ...expected.realServers.map((realServer) =>
      changeToExpected(expected, realServer, existing.get(formatRealServer(realServer)), context),
    ),
    ...unwanted.map((realServer) => changeOfUnwanted(expected, realServer, context)),
  ]
  const realServers = fates.flatMap(({ realServer }) => realServer ?? [])
  return {
    virtualServer: isSame(realServers, expected.realServers) ? expected : { ...expected, realServers },
    changes: fates.flatMap(({ changes }) => changes),
    delayed: fates.flatMap(({ delayed }) => delayed ?? []),
  }
}

/** The planned changes of one real server. */
interface ServerChange {
  /** The new real server; absent if the real server is deleted. */
  readonly realServer?: RealServer
  readonly changes: readonly RealServerChange[]
  /** The key of the real server, if the real server starts terminating. */
  readonly delayed?: string
}

function changeToExpected(
  server: VirtualServer,
  realServer: RealServer,
  existing: RealServer | undefined,
  { waiting, firstSync = false, weightsReset = true }: RealServerSyncContext,
): ServerChange {
  const add = createRealServerChange('add', server, realServer)
  if (existing === undefined) return { realServer, changes: [add] }
  if (waiting.has(add.key)) return { realServer, changes: [createRealServerChange('delete', server, existing), add] }
  if (existing.weight === realServer.weight) return { realServer, changes: [] }
  // An existing weight that differs from the expected weight may be intentional, so it stays. However, the first sync
  // resets the weight, because an earlier kube-proxy process may have left it.
  return firstSync && weightsReset
    ? { realServer, changes: [createRealServerChange('update', server, realServer)] }
    : { realServer: existing, changes: [] }
}

function changeOfUnwanted(server: VirtualServer, realServer: RealServer, context: RealServerSyncContext): ServerChange {
  const key = formatRealServerKey(server, realServer)
  if (context.waiting.has(key)) return { realServer, changes: [] }
  if (isDeletable(server, realServer, context))
    return { changes: [createRealServerChange('delete', server, realServer)] }
  const stopped: RealServer = { ...realServer, weight: 0 }
  return { realServer: stopped, changes: [createRealServerChange('update', server, stopped)], delayed: key }
}

function isSame(left: readonly RealServer[], right: readonly RealServer[]): boolean {
  return left.length === right.length && left.every((realServer, index) => realServer === right[index])
}
