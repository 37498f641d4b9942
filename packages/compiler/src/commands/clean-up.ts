import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'
import type { NodeState } from '../dataplane/node-state.js'
import { featuresOf } from '../model/configuration/features.js'
import { isKnownIn, newestVersionOf, parseVersion, versionsText } from '../model/configuration/versions.js'
import type { ProxyMode } from '../targets/modes.js'
import { CLEAN_UPS } from './clean-ups.js'

export interface CleanUpOptions {
  /** The mode to remove. */
  readonly mode: ProxyMode
  /** The Kubernetes minor version to emulate, such as `1.30`. Default: the newest supported version of the mode. */
  readonly kubernetesVersion?: string | undefined
}

/**
 * Returns the commands that kube-proxy runs to clean up a mode on a node with `state` (compiled, or parsed from a
 * dump). Resources that the kubelet or other programs also use are preserved. Mirrors `CleanupLeftovers` of the
 * proxiers of kube-proxy v1.30. Throws for a version without the mode.
 */
export function cleanUp(
  state: NodeState,
  { mode, kubernetesVersion = newestVersionOf(mode) }: CleanUpOptions,
): readonly ToolCommand[] {
  const version = parseVersion(kubernetesVersion)
  if (version === undefined || !isKnownIn(mode, version)) {
    throw new RangeError(`${kubernetesVersion} is no version in which mode ${mode} is known: ${versionsText()}`)
  }
  return CLEAN_UPS[mode](state, featuresOf(mode, version, new Map()))
}
