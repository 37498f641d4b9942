import type { Cidr, IpFamily } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { familyOf } from '@kube-rules/types/internal/ip'
import type { IpvsState, VirtualServer } from './ast.js'
import { formatRealServerKey, formatVirtualServer } from './format-server.js'
import {
  type ConnectionCounter,
  createRealServerChange,
  isDeletable,
  type RealServerChange,
  type RealServerSyncContext,
  syncRealServers,
} from './sync-real-servers.js'

/** The input of graceful termination. */
export interface TerminationRequest {
  /** The address family. */
  readonly family: IpFamily
  /** The actual state in the kernel. */
  readonly previous: IpvsState
  /** The expected state. Its real servers have weight 1. */
  readonly next: IpvsState
  /** The keys of the terminating real servers, which may still have connections: `10.96.0.9:80/TCP/10.244.2.2:8080`. */
  readonly terminating: readonly string[]
  /** A function that returns the number of connections of a real server. */
  readonly connections: ConnectionCounter
  /** Whether this is the first sync since kube-proxy started. The first sync resets weights to 1. Default: false. */
  readonly firstSync?: boolean | undefined
  /** Whether the first sync resets weights. Default: true. */
  readonly weightsReset?: boolean | undefined
  /** Virtual servers with an address in one of these networks are preserved even if they are not expected. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
  /**
   * The protocols with immediate deletion: their real servers are deleted even if they have connections. Default: UDP
   * and SCTP.
   */
  readonly deletedAtOnce?: RealServerSyncContext['deletedAtOnce']
  /**
   * Whether one sync removes only the real servers of a virtual server that is no longer expected, and the next sync
   * deletes the empty virtual server. If false, one sync deletes both. Default: false.
   */
  readonly emptiedFirst?: boolean | undefined
}

/** The result of graceful termination. */
export interface TerminationResult {
  /** The expected state of the kernel until the next check (`recheckTerminating`). */
  readonly state: IpvsState
  /** The changes of the real servers of expected virtual servers, in order. */
  readonly changes: readonly RealServerChange[]
  /** The keys of the terminating real servers, in the notation of the request. */
  readonly terminating: readonly string[]
  /** The delay until the next check (`recheckTerminating`). Absent if no real server is terminating. */
  readonly recheckAfterSeconds?: number | undefined
}

const RECHECK_SECONDS = 60

/**
 * Plans the removal of real servers that are no longer expected. By default, a real server with UDP or SCTP, or without
 * connections, is deleted immediately. Any other real server gets weight 0 until its connections end. If a terminating
 * real server is expected again, it is deleted and added. Real servers that are already terminating are left to
 * `recheckTerminating`.
 *
 * Virtual servers that are no longer expected are deleted immediately, together with their real servers. Unknown lines
 * and virtual servers of the other family are preserved.
 *
 * Mirrors `syncEndpoint` and `cleanLegacyService` of the ipvs proxier in kube-proxy v1.30.
 */
export function terminateGracefully(request: TerminationRequest): TerminationResult {
  const { previous, next } = request
  const existing = new Map(previous.virtualServers.map((server) => [formatVirtualServer(server), server]))
  const waiting = new Set(request.terminating)
  const synced = [...next.virtualServers, ...emptiedServers(request)].map((server) => {
    const held = existing.get(formatVirtualServer(server))?.realServers ?? []
    return syncRealServers(server, held, { ...request, waiting })
  })
  const servers = synced.map(({ virtualServer }) => virtualServer)
  const virtualServers = [...servers, ...leftAlone(previous, servers, request)]
  const changes = synced.flatMap((sync) => sync.changes)
  const delayed = synced.flatMap((sync) => sync.delayed)
  return termination({ ...previous, virtualServers }, changes, [...request.terminating, ...delayed])
}

/**
 * Returns the unexpected virtual servers that this sync empties but does not delete (`emptiedFirst`). They are returned
 * without real servers.
 */
function emptiedServers({ family, previous, next, emptiedFirst }: TerminationRequest): readonly VirtualServer[] {
  if (!emptiedFirst) return []
  const expected = new Set(next.virtualServers.map(formatVirtualServer))
  return previous.virtualServers
    .filter((server) => !expected.has(formatVirtualServer(server)) && familyOf(server.address) === family)
    .flatMap((server) => (server.realServers.length > 0 ? [{ ...server, realServers: [] }] : []))
}

/**
 * Checks terminating real servers again and deletes the real servers without connections. Mirrors `tryDeleteRs` of the
 * ipvs proxier in kube-proxy v1.30.
 */
export function recheckTerminating(
  state: IpvsState,
  terminating: readonly string[],
  connections: ConnectionCounter,
  deletedAtOnce?: RealServerSyncContext['deletedAtOnce'],
): TerminationResult {
  const waiting = new Set(terminating)
  const changes: RealServerChange[] = []
  const virtualServers = state.virtualServers.map((server): VirtualServer => {
    const ended = new Set(
      server.realServers.filter(
        (realServer) =>
          waiting.has(formatRealServerKey(server, realServer)) &&
          isDeletable(server, realServer, { connections, deletedAtOnce }),
      ),
    )
    if (ended.size === 0) return server
    for (const realServer of ended) changes.push(createRealServerChange('delete', server, realServer))
    return { ...server, realServers: server.realServers.filter((realServer) => !ended.has(realServer)) }
  })
  return termination({ ...state, virtualServers }, changes, terminating)
}

/**
 * Returns the virtual servers that the sync does not touch: those of the other family, and unexpected ones with an
 * address in `excludeCidrs`.
 */
function leftAlone(
  previous: IpvsState,
  synced: readonly VirtualServer[],
  { family, excludeCidrs = [] }: TerminationRequest,
): readonly VirtualServer[] {
  const expected = new Set(synced.map(formatVirtualServer))
  return previous.virtualServers.filter((server) => {
    if (expected.has(formatVirtualServer(server))) return false
    return familyOf(server.address) !== family || excludeCidrs.some((cidr) => cidrContains(cidr, server.address))
  })
}

/**
 * Returns the result of a sync or check. The result contains the `candidates` that exist in `state` and that no change
 * deletes. A real server that was deleted and added again is not terminating.
 */
function termination(
  state: IpvsState,
  changes: readonly RealServerChange[],
  candidates: readonly string[],
): TerminationResult {
  const deleted = new Set(changes.filter(({ action }) => action === 'delete').map(({ key }) => key))
  const remaining = candidates.filter((key) => !deleted.has(key))
  const existing = remaining.length === 0 ? new Set() : new Set(keysOf(state))
  const terminating = remaining.filter((key) => existing.has(key))
  return { state, changes, terminating, ...(terminating.length > 0 && { recheckAfterSeconds: RECHECK_SECONDS }) }
}

function keysOf({ virtualServers }: IpvsState): readonly string[] {
  return virtualServers.flatMap((server) =>
    server.realServers.map((realServer) => formatRealServerKey(server, realServer)),
  )
}
