import type { Cidr } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { joinLines } from '../../internal/join-lines.js'
import { type Change, resourceIdOf } from '../../patch/patch.js'
import type { Resource } from '../../patch/resource.js'
import type { CommandPhase, PhasedCommand, ToolCommand } from '../netfilter/tool-command.js'
import type { SubsystemCommandOptions } from '../tool-options.js'
import {
  formatRealServerDeletion,
  formatRealServerLine,
  formatVirtualServerDeletion,
  formatVirtualServerLine,
} from './print.js'
import { parseServerId, realServerValueOf, toRealServerId, virtualServerDefinitionOf } from './resources.js'
import type { RealServerChange } from './sync-real-servers.js'

/**
 * Returns the `ipvsadm -R` commands that apply the changes of virtual and real servers. ipvsadm applies its input line
 * by line and continues after a line that the kernel rejects. Virtual servers within `excludeCidrs` stay, with all
 * their real servers.
 *
 * The kernel ends the connections of a deleted real server within a tick of the kernel clock (`expire_nodest_conn` is
 * 1), even if the real server is added again. Therefore, with `start` = `suspected` (each server may exist in any form
 * or be missing), no expected server is deleted. Instead, each expected server is added, which fails if the server
 * exists, and then edited. Unexpected servers are deleted individually.
 *
 * With `start` = `unknown`, one command clears the IPVS table of both families and fills the table again. Until the
 * table is filled, no virtual server accepts new connections, and existing connections end. With `excludeCidrs`, the
 * IPVS table also contains virtual servers of other programs. In this case, the table is not cleared: each expected
 * virtual server is deleted and added, and unexpected virtual servers stay.
 */
export function toIpvsCommands(
  changes: readonly Change[],
  options: Partial<SubsystemCommandOptions> = {},
): readonly PhasedCommand[] {
  const { excludeCidrs = [], start = 'known' } = options
  const expected = withoutSpared(changes, excludeCidrs)
  const gone = new Set(expected.flatMap((change) => (isDeletedServer(change) ? [change.resource.id] : [])))
  const [stopped, waiting] = [idsOf(options.terminating), idsOf(options.waiting)]
  const isWanted = changes.length === 0 || changes.some(({ kind }) => kind === 'create')
  const clears = start === 'unknown' && excludeCidrs.length === 0 && isWanted
  const replaces = (start === 'unknown' && !clears) || start === 'atLeast'
  const additions = expected.flatMap((change) => additionLines(change, waiting, replaces))
  const removals = clears ? [] : expected.flatMap((change) => removalLines(change, gone, stopped))
  const removing = commandsOf('withdraw', 'remove servers', removals)
  if (start === 'suspected') {
    const edits = expected.flatMap(editsOf)
    return [
      ...commandsOf('provide', 'add servers', additions).map(allowingFailure),
      ...commandsOf('provide', 'change servers', edits),
      ...removing.map(allowingFailure),
    ]
  }
  return [
    ...commandsOf('provide', clears ? 'replace all servers' : 'add and change servers', [
      ...(clears ? ['-C'] : []),
      ...additions,
    ]),
    ...(start === 'unknown' ? removing.map(allowingFailure) : removing),
  ]
}

/** Returns the command with `allowFailure`, because some of its servers may already exist or may already be deleted. */
function allowingFailure({ phase, command }: PhasedCommand): PhasedCommand {
  return { phase, command: { ...command, allowFailure: true, nothingToDo: [1, 2, 255] } }
}

/** Removes the deletions of virtual servers in `excludeCidrs`, and of their real servers, from the changes. */
function withoutSpared(changes: readonly Change[], excludeCidrs: readonly Cidr[]): readonly Change[] {
  if (excludeCidrs.length === 0) return changes
  const spared = new Set(changes.flatMap((change) => (isSpared(change, excludeCidrs) ? [resourceIdOf(change)] : [])))
  return changes.filter((change) => {
    if (change.kind !== 'delete') return true
    return ![change.resource.id, ...change.resource.refs].some((id) => spared.has(id))
  })
}

function isSpared(change: Change, excludeCidrs: readonly Cidr[]): boolean {
  if (change.kind !== 'delete' || change.resource.refs.length > 0) return false
  const { address } = parseServerId(change.resource.id).virtualServer
  return excludeCidrs.some((cidr) => cidrContains(cidr, address))
}

/**
 * Converts keys of real servers to ids: `10.96.0.9:80/TCP/10.244.2.2:8080` becomes
 * `ipvs TCP 10.96.0.9:80 10.244.2.2:8080`.
 */
function idsOf(keys: readonly string[] = []): ReadonlySet<string> {
  return new Set(keys.map(toRealServerId))
}

function isDeletedServer(change: Change): change is Change & { readonly kind: 'delete' } {
  return change.kind === 'delete' && change.resource.refs.length === 0
}

/**
 * Returns the lines that add or edit the resource of a change. With `replaces`, a virtual server is deleted before it
 * is added, because it may already exist with unexpected real servers.
 */
function additionLines(change: Change, waiting: ReadonlySet<string>, replaces: boolean): readonly string[] {
  if (change.kind === 'update') return [editingLine(change.after)]
  if (change.kind !== 'create') return []
  const { resource } = change
  if (replaces && resource.refs.length === 0) return [deletingLine(resource), addingLine(resource)]
  // Like kube-proxy, recreates a terminating real server that is expected again.
  if (waiting.has(resource.id)) return [deletingLine(resource), addingLine(resource)]
  return [addingLine(resource)]
}

/**
 * Returns the line that edits the server of a change. A created server may already exist, so it is edited too. Returns
 * no line for a deletion.
 */
function editsOf(change: Change): readonly string[] {
  return change.kind === 'create' ? [editingLine(change.resource)] : additionLines(change, new Set(), false)
}

/**
 * Returns the line for a deletion. Deleting a virtual server also deletes its real servers, so a real server of a
 * deleted virtual server (in `gone`) has no line. A real server in `stopped` gets weight 0 instead.
 */
function removalLines(change: Change, gone: ReadonlySet<string>, stopped: ReadonlySet<string>): readonly string[] {
  if (change.kind !== 'delete' || change.resource.refs.some((id) => gone.has(id))) return []
  const { resource } = change
  return [stopped.has(resource.id) ? stoppingLine(resource) : deletingLine(resource)]
}

function addingLine(resource: Resource): string {
  return serverLine(resource, '-A', '-a')
}

function editingLine(resource: Resource): string {
  return serverLine(resource, '-E', '-e')
}

/**
 * Returns the line that writes a virtual server or a real server. The address and the port are those of the id. The
 * line is therefore about this resource, whatever its value contains.
 */
function serverLine(resource: Resource, ofVirtualServer: '-A' | '-E', ofRealServer: '-a' | '-e'): string {
  const { virtualServer, realServer } = parseServerId(resource.id)
  return realServer === undefined
    ? formatVirtualServerLine(ofVirtualServer, { ...virtualServerDefinitionOf(resource), ...virtualServer })
    : formatRealServerLine(ofRealServer, virtualServer, { ...realServerValueOf(resource), ...realServer })
}

function stoppingLine(resource: Resource): string {
  return editingLine({ ...resource, value: { ...realServerValueOf(resource), weight: 0 } })
}

function deletingLine({ id }: Resource): string {
  const { virtualServer, realServer } = parseServerId(id)
  return realServer === undefined
    ? formatVirtualServerDeletion(virtualServer)
    : formatRealServerDeletion(virtualServer, realServer)
}

function commandsOf(phase: CommandPhase, purpose: string, lines: readonly string[]): readonly PhasedCommand[] {
  if (lines.length === 0) return []
  const input = joinLines(lines)
  return [{ phase, command: { tool: 'ipvsadm', args: ['-R'], input, purpose } }]
}

/**
 * Returns the `ipvsadm -R` command for the changes of a `TerminationResult`, in order. Without changes, the list is
 * empty. The command deletes the real servers that `recheckTerminating` reports as finished.
 */
export function toTerminationCommands(changes: readonly RealServerChange[]): readonly ToolCommand[] {
  if (changes.length === 0) return []
  const input = joinLines(changes.map(lineOf))
  return [{ tool: 'ipvsadm', args: ['-R'], input, purpose: 'change real servers' }]
}

function lineOf({ action, virtualServer, realServer }: RealServerChange): string {
  if (action === 'delete') return formatRealServerDeletion(virtualServer, realServer)
  return formatRealServerLine(action === 'add' ? '-a' : '-e', virtualServer, realServer)
}
