import type { Run } from '../dataplane/netfilter/run.js'
import type { NodeState } from '../dataplane/node-state.js'
import { featuresOf } from '../model/configuration/features.js'
import { isKnownIn, newestVersionOf, parseVersion, versionsText } from '../model/configuration/versions.js'
import type { CompiledMode } from '../targets/modes.js'
import { CLEAN_UPS } from './clean-ups.js'

export interface CleanUpOptions {
  /** The mode that is left. */
  readonly mode: CompiledMode
  /** The Kubernetes minor version to be faithful to, such as `1.30`. Default: the newest known of the mode. */
  readonly kubernetesVersion?: string | undefined
}

/**
 * The runs of tools by which kube-proxy leaves a mode on a node that holds `state` (compiled, or read from a dump). What the
 * kubelet or others use too stays. Mirrors `CleanupLeftovers` of the proxiers of kube-proxy v1.30. Throws for a version
 * in which the mode is not known.
 */
export function cleanUp(
  state: NodeState,
  { mode, kubernetesVersion = newestVersionOf(mode) }: CleanUpOptions,
): readonly Run[] {
  const version = parseVersion(kubernetesVersion)
  if (version === undefined || !isKnownIn(mode, version)) {
    throw new RangeError(`${kubernetesVersion} is no version in which mode ${mode} is known: ${versionsText()}`)
  }
  return CLEAN_UPS[mode](state, featuresOf(mode, version, new Map()))
}
