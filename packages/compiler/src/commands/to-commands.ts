import type { IpFamily } from '@kube-rules/types'
import { checkOptionalChoice, checkOptions, type OptionTypes } from '../arguments/check-argument.js'
import { checkPatch } from '../arguments/check-result.js'
import type { ConntrackEntryFilter } from '../dataplane/conntrack/ast.js'
import { createDeletionArguments } from '../dataplane/conntrack/print.js'
import { type ConntrackCommandOptions, toConntrackCommands } from '../dataplane/conntrack/script.js'
import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'
import type { Subsystem } from '../dataplane/node-state.js'
import { SUBSYSTEM_RESOURCES } from '../dataplane/resource-conversions.js'
import type { PriorKnowledgeBySubsystem } from '../dataplane/tool-options.js'
import { IPTABLES_BACKENDS, type SubsystemCommandOptions } from '../dataplane/tool-options.js'
import type { FamilyPatch, ResultPatch } from '../diff/diff.js'
import { concatChanges } from '../patch/order.js'
import { type Change, resourceIdOf } from '../patch/patch.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { isMarkDropChain, isSharedChain } from '../targets/shared/kube-chains.js'
import { toChangeCommands } from './change-commands.js'

/** Options of `toCommands`. */
export interface CommandOptions
  extends Pick<SubsystemCommandOptions, 'terminating' | 'waiting'>,
    ConntrackCommandOptions {
  /** The iptables backend of the node. Default: `nft`. */
  readonly backend?: SubsystemCommandOptions['backend'] | undefined
  /**
   * Whether to omit the commands that delete conntrack entries, for callers that use `cleanStaleEntries` instead.
   * Default: false.
   */
  readonly keepsConnections?: boolean | undefined
}

/** The types of the options of `toCommands`. */
export const COMMAND_OPTIONS: OptionTypes<CommandOptions> = {
  ...{
    backend: 'other',
    terminating: 'other',
    waiting: 'other',
    keepsConnections: 'boolean',
    canBatchConntrack: 'boolean',
  },
}

/**
 * Returns the commands that apply a patch. The order of the commands keeps every jump valid and every unchanged Service
 * available. The patch contains what is known about the state of the node before the patch (`start`). If a command
 * fails, the node is in an intermediate state: run no further commands, and use `reconcile` next.
 *
 * @example
 * ```ts
 * const result = compile(input, { nodeName: 'node-1', families: ['IPv4'] })
 * toCommands(diff(undefined, result)).map(({ tool }) => tool) // => ['iptables-restore']
 * ```
 */
export function toCommands(patch: ResultPatch, options: CommandOptions = {}): readonly ToolCommand[] {
  checkPatch('patch', patch)
  const fields = checkOptions<CommandOptions>(options, COMMAND_OPTIONS)
  checkOptionalChoice('options', fields, 'backend', IPTABLES_BACKENDS)
  const { families } = patch
  const { backend = 'nft', terminating, waiting, keepsConnections = false } = options
  const stale = keepsConnections ? [] : families.flatMap(staleDeletions)
  const common = { backend, terminating, waiting }
  return [
    ...withSharedFirst(families).flatMap(({ family, patch, start, excludeCidrs, keepsSharedChains }) => {
      const isShared = keepsSharedChains ? isSharedChain : isMarkDropChain
      return toChangeCommands(patch.changes, { family, start, excludeCidrs, isShared, ...common })
    }),
    ...toConntrackCommands(stale, options),
  ]
}

/**
 * Moves the changes of virtual servers and bound addresses of both families to the first family, because one command
 * replaces the content of both families. Does so only if the state of these subsystems is unknown and they are
 * therefore replaced as a whole.
 */
function withSharedFirst(families: readonly FamilyPatch[]): readonly FamilyPatch[] {
  const [first, ...others] = families
  if (first === undefined || others.length === 0) return families
  const isShared = (change: Change) => SHARED.some((name) => SUBSYSTEM_RESOURCES[name].owns(resourceIdOf(change)))
  const isReplaced = ({ start = {} }: FamilyPatch) => SHARED.some((name) => start[name] === 'unknown')
  if (!families.some(isReplaced)) return families
  const shared = families.flatMap(({ patch }) => patch.changes.filter(isShared))
  const starts: PriorKnowledgeBySubsystem = Object.assign({}, ...families.map(({ start = {} }) => start))
  const excludeCidrs = families.flatMap((each) => each.excludeCidrs ?? [])
  return families.map((each) => {
    const own = each.patch.changes.filter((change) => !isShared(change))
    const isFirst = each === first
    return {
      ...each,
      patch: { ...each.patch, changes: isFirst ? concatChanges([own, shared]) : own },
      start: { ...each.start, ...Object.fromEntries(SHARED.map((name) => [name, isFirst ? starts[name] : 'known'])) },
      excludeCidrs,
    }
  })
}

const SHARED: readonly Subsystem[] = ['ipvs', 'addresses']

function staleDeletions({ family, staleConnections }: FamilyPatch): readonly (readonly string[])[] {
  return staleConnections.map((stale) => createDeletionArguments(toConntrackFilter(stale, family)))
}

/** Converts a stale connection of this family to a conntrack filter. */
export function toConntrackFilter(stale: StaleConnection, family: IpFamily): ConntrackEntryFilter {
  const common = { family, protocol: 'udp' } as const
  switch (stale.kind) {
    case 'address':
      return { kind: 'ip', ...common, originalDestination: stale.address }
    case 'addressAndEndpoint':
      return { kind: 'nat', ...common, originalDestination: stale.address, natDestination: stale.endpoint }
    case 'nodePort':
      return { kind: 'port', ...common, destinationPort: stale.port }
    case 'nodePortAndEndpoint':
      return { kind: 'portnat', ...common, destinationPort: stale.port, natDestination: stale.endpoint }
  }
}
