import type { RealServer, VirtualServer } from './ast.js'
import { realServerKey, realServerText, virtualServerText } from './server-text.js'

/**
 * How many connections, active and inactive, a real server of a virtual server has: of `10.96.0.9:80/TCP` and
 * `10.244.2.2:8080`.
 */
export type Connections = (virtualServer: string, realServer: string) => number

export interface RealServerChange {
  readonly action: 'add' | 'update' | 'delete'
  /** `10.96.0.9:80/TCP/10.244.2.2:8080`. */
  readonly key: string
  readonly virtualServer: VirtualServer
  /** As it is after the change, or was before it is deleted. */
  readonly realServer: RealServer
}

export interface SyncContext {
  /** The keys of the real servers that wait for the end of their connections. */
  readonly waiting: ReadonlySet<string>
  readonly connections: Connections
  readonly firstSync?: boolean | undefined
}

export interface RealServerSync {
  /** With the real servers it has for the time being. */
  readonly virtualServer: VirtualServer
  readonly changes: readonly RealServerChange[]
  /** The keys of the real servers that have to wait from here on. */
  readonly delayed: readonly string[]
}

export function changeOf(
  action: RealServerChange['action'],
  virtualServer: VirtualServer,
  realServer: RealServer,
): RealServerChange {
  return { action, key: realServerKey(virtualServer, realServer), virtualServer, realServer }
}

/** Whether nothing is lost when the real server goes: connections are kept for TCP alone. */
export function isOver(virtualServer: VirtualServer, realServer: RealServer, connections: Connections): boolean {
  if (virtualServer.protocol !== 'TCP') return true
  return connections(virtualServerText(virtualServer), realServerText(realServer)) === 0
}

/** Brings the real servers that a virtual server `held` to those of `wanted`, as far as that can be done at once. */
export function syncRealServers(
  wanted: VirtualServer,
  held: readonly RealServer[],
  context: SyncContext,
): RealServerSync {
  const existing = new Map(held.map((realServer) => [realServerText(realServer), realServer]))
  const names = new Set(wanted.realServers.map(realServerText))
  const unwanted = held.filter((realServer) => !names.has(realServerText(realServer)))
  const fates = [
    ...wanted.realServers.map((realServer) =>
      fateOfWanted(wanted, realServer, existing.get(realServerText(realServer)), context),
    ),
    ...unwanted.map((realServer) => fateOfUnwanted(wanted, realServer, context)),
  ]
  const realServers = fates.flatMap(({ realServer }) => realServer ?? [])
  return {
    virtualServer: isSame(realServers, wanted.realServers) ? wanted : { ...wanted, realServers },
    changes: fates.flatMap(({ changes }) => changes),
    delayed: fates.flatMap(({ delayed }) => delayed ?? []),
  }
}

/** What becomes of one real server. */
interface Fate {
  /** As it is from here on; absent where it is gone. */
  readonly realServer?: RealServer
  readonly changes: readonly RealServerChange[]
  /** Its key, where it begins to wait. */
  readonly delayed?: string
}

function fateOfWanted(
  server: VirtualServer,
  realServer: RealServer,
  existing: RealServer | undefined,
  { waiting, firstSync = false }: SyncContext,
): Fate {
  const add = changeOf('add', server, realServer)
  if (existing === undefined) return { realServer, changes: [add] }
  if (waiting.has(add.key)) return { realServer, changes: [changeOf('delete', server, existing), add] }
  if (existing.weight === realServer.weight) return { realServer, changes: [] }
  // Another weight is somebody's wish, but for one that an earlier kube-proxy left behind.
  return firstSync
    ? { realServer, changes: [changeOf('update', server, realServer)] }
    : { realServer: existing, changes: [] }
}

function fateOfUnwanted(server: VirtualServer, realServer: RealServer, { waiting, connections }: SyncContext): Fate {
  const key = realServerKey(server, realServer)
  if (waiting.has(key)) return { realServer, changes: [] }
  if (isOver(server, realServer, connections)) return { changes: [changeOf('delete', server, realServer)] }
  const stopped: RealServer = { ...realServer, weight: 0 }
  return { realServer: stopped, changes: [changeOf('update', server, stopped)], delayed: key }
}

function isSame(left: readonly RealServer[], right: readonly RealServer[]): boolean {
  return left.length === right.length && left.every((realServer, index) => realServer === right[index])
}
