import { type Cidr, cidrContains, familyOf, type IpFamily } from '@kube-rules/types'
import type { IpvsState, VirtualServer } from './ast.js'
import { realServerKey, virtualServerText } from './server-text.js'
import { type Connections, changeOf, isOver, type RealServerChange, syncRealServers } from './sync-real-servers.js'

export interface TerminationRequest {
  readonly family: IpFamily
  /** The actual state in the kernel. */
  readonly previous: IpvsState
  /** The expected state; its real servers have weight 1. */
  readonly next: IpvsState
  /** The terminating real servers, which still have connections: `10.96.0.9:80/TCP/10.244.2.2:8080`. */
  readonly terminating: readonly string[]
  readonly connections: Connections
  /** Whether this is the first sync since kube-proxy started, which resets weights to 1. Default false. */
  readonly firstSync?: boolean | undefined
  /** Virtual servers with an address in one of these networks are preserved even if they are not expected. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
}

export interface Termination {
  /** The state of the kernel for now. */
  readonly state: IpvsState
  /** The ordered changes for the real servers of expected virtual servers. */
  readonly changes: readonly RealServerChange[]
  /** The terminating real servers, in the notation of the request. */
  readonly terminating: readonly string[]
  /** The delay until the next check (`recheckTerminating`); absent if no real server is terminating. */
  readonly recheckAfterSeconds?: number | undefined
}

const RECHECK_SECONDS = 60

/**
 * Plans the removal of real servers that are no longer expected. Those of UDP and SCTP, and those without connections,
 * are deleted immediately. The rest get weight 0 until their connections end. A terminating real server that is
 * expected again is deleted and added. Existing terminating real servers are left to `recheckTerminating`.
 *
 * Virtual servers that are no longer expected are deleted immediately with all their real servers. Unknown lines and
 * virtual servers of the other family are preserved.
 *
 * Mirrors `syncEndpoint` and `cleanLegacyService` of the ipvs proxier of kube-proxy v1.30.
 */
export function terminateGracefully(request: TerminationRequest): Termination {
  const { previous, next } = request
  const existing = new Map(previous.virtualServers.map((server) => [virtualServerText(server), server]))
  const waiting = new Set(request.terminating)
  const synced = next.virtualServers.map((server) => {
    const held = existing.get(virtualServerText(server))?.realServers ?? []
    return syncRealServers(server, held, { ...request, waiting })
  })
  const virtualServers = [...synced.map(({ virtualServer }) => virtualServer), ...leftAlone(request)]
  const changes = synced.flatMap((sync) => sync.changes)
  const delayed = synced.flatMap((sync) => sync.delayed)
  return termination({ ...previous, virtualServers }, changes, [...request.terminating, ...delayed])
}

/**
 * Checks terminating real servers again and deletes those without connections. Mirrors `tryDeleteRs` of the ipvs
 * proxier of kube-proxy v1.30.
 */
export function recheckTerminating(
  state: IpvsState,
  terminating: readonly string[],
  connections: Connections,
): Termination {
  const waiting = new Set(terminating)
  const changes: RealServerChange[] = []
  const virtualServers = state.virtualServers.map((server): VirtualServer => {
    const ended = new Set(
      server.realServers.filter(
        (realServer) => waiting.has(realServerKey(server, realServer)) && isOver(server, realServer, connections),
      ),
    )
    if (ended.size === 0) return server
    for (const realServer of ended) changes.push(changeOf('delete', server, realServer))
    return { ...server, realServers: server.realServers.filter((realServer) => !ended.has(realServer)) }
  })
  return termination({ ...state, virtualServers }, changes, terminating)
}

/** Returns the existing virtual servers that are neither expected nor deleted. */
function leftAlone({ family, previous, next, excludeCidrs = [] }: TerminationRequest): readonly VirtualServer[] {
  const expected = new Set(next.virtualServers.map(virtualServerText))
  return previous.virtualServers.filter((server) => {
    if (expected.has(virtualServerText(server))) return false
    return familyOf(server.address) !== family || excludeCidrs.some((cidr) => cidrContains(cidr, server.address))
  })
}

/** Returns the terminating real servers that still exist and were not deleted, not even to be added again. */
function termination(state: IpvsState, changes: readonly RealServerChange[], waited: readonly string[]): Termination {
  const deleted = new Set(changes.filter(({ action }) => action === 'delete').map(({ key }) => key))
  const left = waited.filter((key) => !deleted.has(key))
  const held = left.length === 0 ? new Set() : new Set(keysOf(state))
  const terminating = left.filter((key) => held.has(key))
  return { state, changes, terminating, ...(terminating.length > 0 && { recheckAfterSeconds: RECHECK_SECONDS }) }
}

function keysOf({ virtualServers }: IpvsState): readonly string[] {
  return virtualServers.flatMap((server) => server.realServers.map((realServer) => realServerKey(server, realServer)))
}
