import { IP_FAMILIES } from '@kube-rules/types'
import { checkChoice, checkFunction, checkList, checkStrings } from '../arguments/check-argument.js'
import { checkShape } from '../arguments/check-shape.js'
import { type IpvsState, VIRTUAL_SERVER_PROTOCOLS } from '../dataplane/ipvs/ast.js'
import {
  recheckTerminating as recheckServers,
  type TerminationRequest,
  type TerminationResult,
  terminateGracefully as terminateServers,
} from '../dataplane/ipvs/graceful-termination.js'
import { toTerminationCommands as toCommands } from '../dataplane/ipvs/script.js'
import type { ConnectionCounter, RealServerChange } from '../dataplane/ipvs/sync-real-servers.js'
import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'

export { removalBehaviorOf } from '../commands/ipvs-versions.js'
export type { IpvsState, RealServer, VirtualServer } from '../dataplane/ipvs/ast.js'
export type { TerminationRequest, TerminationResult } from '../dataplane/ipvs/graceful-termination.js'
export type { ConnectionCounter, RealServerChange } from '../dataplane/ipvs/sync-real-servers.js'
export type { RemovalBehavior } from '../targets/ipvs/termination.js'

const REAL_SERVER = { address: 'text', port: 'number', forwarding: 'text', weight: 'number' } as const
const VIRTUAL_SERVER = {
  address: 'text',
  port: 'number',
  protocol: 'text',
  scheduler: 'text',
  flags: 'number',
  timeout: 'number',
  realServers: [REAL_SERVER],
} as const
const STATE = { virtualServers: [VIRTUAL_SERVER] } as const
const CIDR = { family: 'text', address: 'text', prefixLength: 'number' } as const

/**
 * Plans the removal of real servers that are no longer expected. By default, a real server with UDP or SCTP, or without
 * connections, is deleted immediately. Any other real server gets weight 0 until its connections end. Virtual servers
 * that are no longer expected are deleted with their real servers.
 *
 * Mirrors `syncEndpoint` and `cleanLegacyService` of the ipvs proxier in kube-proxy v1.30.
 *
 * @throws DiagnosticsError (`invalidArgument`) for anything but a request.
 */
export function terminateGracefully(request: TerminationRequest): TerminationResult {
  const shape = {
    family: 'text',
    previous: STATE,
    next: STATE,
    terminating: ['text'],
    connections: 'function',
    'firstSync?': 'boolean',
    'weightsReset?': 'boolean',
    'emptiedFirst?': 'boolean',
    'excludeCidrs?': [CIDR],
    'deletedAtOnce?': ['text'],
  } as const
  checkShape('request', request, shape, 'a request of graceful termination')
  checkChoice('request', request.family, IP_FAMILIES, 'family')
  return terminateServers(request)
}

/**
 * Checks terminating real servers again, and deletes the real servers without connections. Mirrors `tryDeleteRs` of the
 * ipvs proxier in kube-proxy v1.30.
 *
 * @throws DiagnosticsError (`invalidArgument`) for other arguments.
 */
export function recheckTerminating(
  state: IpvsState,
  terminating: readonly string[],
  connections: ConnectionCounter,
  deletedAtOnce?: TerminationRequest['deletedAtOnce'],
): TerminationResult {
  checkShape('state', state, STATE, 'a state of ipvs')
  checkStrings('terminating', terminating, 'a list of real servers')
  checkFunction('connections', connections, 'a function that counts connections')
  for (const protocol of deletedAtOnce === undefined
    ? []
    : checkList('deletedAtOnce', deletedAtOnce, 'a list of protocols'))
    checkChoice('deletedAtOnce', protocol, VIRTUAL_SERVER_PROTOCOLS)
  return recheckServers(state, terminating, connections, deletedAtOnce)
}

/**
 * Returns the `ipvsadm -R` command for the changes of a termination result, in order. Without changes, the list is
 * empty.
 *
 * @throws DiagnosticsError (`invalidArgument`) for anything but changes.
 */
export function toTerminationCommands(changes: readonly RealServerChange[]): readonly ToolCommand[] {
  const change = { action: 'text', key: 'text', virtualServer: VIRTUAL_SERVER, realServer: REAL_SERVER } as const
  checkShape('changes', changes, [change], 'changes of a termination result')
  return toCommands(changes)
}
