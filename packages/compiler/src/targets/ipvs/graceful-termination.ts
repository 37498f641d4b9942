import { type Cidr, cidrContains, familyOf, type IpFamily } from '@kube-rules/types'
import type { IpvsState, VirtualServer } from '../../dataplane/ipvs/ast.js'
import { realServerKey, virtualServerText } from '../../dataplane/ipvs/server-text.js'
import { type Connections, changeOf, isOver, type RealServerChange, syncRealServers } from './sync-real-servers.js'

export interface TerminationRequest {
  readonly family: IpFamily
  /** What the kernel holds. */
  readonly previous: IpvsState
  /** What is wanted; its real servers have weight 1. */
  readonly next: IpvsState
  /** The real servers that wait for the end of their connections: `10.96.0.9:80/TCP/10.244.2.2:8080`. */
  readonly terminating: readonly string[]
  readonly connections: Connections
  /** Whether this is the first time since kube-proxy started: weights are set to 1 again then. Default false. */
  readonly firstSync?: boolean | undefined
  /** Virtual servers with an address in one of these stay although nobody wants them. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
}

export interface Termination {
  /** What the kernel is to hold for the time being. */
  readonly state: IpvsState
  /** How to get there, in this order, as far as real servers of wanted virtual servers go. */
  readonly changes: readonly RealServerChange[]
  /** The real servers that wait for the end of their connections, spelled as in the request. */
  readonly terminating: readonly string[]
  /** When to look at them again (`recheckTerminating`); absent where none waits. */
  readonly recheckAfterSeconds?: number | undefined
}

const RECHECK_SECONDS = 60

/**
 * What becomes of real servers that are no longer wanted. Those of UDP and SCTP and those without connections go at
 * once; the others stay with weight 0 until their connections end. One that is wanted again while it waits is deleted
 * and added. Real servers that wait already are not looked at: that is for `recheckTerminating`.
 *
 * Virtual servers that are no longer wanted go at once with all their real servers. Unknown lines and virtual servers
 * of the other family stay.
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
 * What becomes of real servers that wait for the end of their connections once it is time to look at them again: those
 * without connections go. Mirrors `tryDeleteRs` of the ipvs proxier of kube-proxy v1.30.
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

/** The existing virtual servers that nobody wants and nobody deletes. */
function leftAlone({ family, previous, next, excludeCidrs = [] }: TerminationRequest): readonly VirtualServer[] {
  const wanted = new Set(next.virtualServers.map(virtualServerText))
  return previous.virtualServers.filter((server) => {
    if (wanted.has(virtualServerText(server))) return false
    return familyOf(server.address) !== family || excludeCidrs.some((cidr) => cidrContains(cidr, server.address))
  })
}

/** Of the real servers that waited, those that are still there and were not deleted, even to be added again. */
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
