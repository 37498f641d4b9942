import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { checkChoice, checkOptions } from '../arguments/check-argument.js'
import { checkState } from '../arguments/check-state.js'
import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'
import type { NodeState } from '../dataplane/node-state.js'
import { featuresOf } from '../model/configuration/features.js'
import { formatVersions, isSupportedVersion, newestVersionOf, parseVersion } from '../model/configuration/versions.js'
import { describeValue } from '../model/reading/diagnostic-collector.js'
import { PROXY_MODES, type ProxyMode } from '../targets/modes.js'
import { CLEAN_UP_FUNCTIONS } from './clean-up-functions.js'

/** Options of `cleanUp`. */
export interface CleanUpOptions {
  /** The mode to remove. */
  readonly mode: ProxyMode
  /** The Kubernetes minor version to emulate, such as `1.30`. Default: the newest supported version of the mode. */
  readonly kubernetesVersion?: string | undefined
}

/**
 * Returns the commands that kube-proxy runs to clean up a mode on a node with `state` (compiled, or parsed from a
 * dump). Resources that the kubelet or other programs also use are preserved, except that ipvs mode removes all virtual
 * servers. Mirrors `CleanupLeftovers` of the proxiers of kube-proxy v1.30.
 *
 * To remove several modes, run the commands of each mode and family. Modes share chains, and the kernel keeps a chain
 * until the last jump to it is gone, so repeat this with a new dump if a command fails.
 *
 * @throws DiagnosticsError with `invalidArgument` for an unknown mode and for a version without the mode.
 *
 * @example
 * ```ts
 * const [{ state }] = compile(input, { nodeName: 'node-1', mode: 'nftables' }).families
 * cleanUp(state, { mode: 'nftables' }).map(({ tool }) => tool) // => ['nft']
 * ```
 */
export function cleanUp(state: NodeState, options: CleanUpOptions): readonly ToolCommand[] {
  checkState('state', state)
  const fields = checkOptions<CleanUpOptions>(options, { mode: 'other', kubernetesVersion: 'string' })
  checkChoice('options', fields.mode, PROXY_MODES, 'mode')
  const { mode, kubernetesVersion = newestVersionOf(mode) } = options
  const version = parseVersion(kubernetesVersion)
  if (version === undefined || !isSupportedVersion(mode, version)) {
    const message = `${mode} mode does not exist in version ${describeValue(kubernetesVersion)}`
    throw createArgumentError('options', message, formatVersions(), 'kubernetesVersion')
  }
  return CLEAN_UP_FUNCTIONS[mode](state, featuresOf(mode, version, new Map()))
}
