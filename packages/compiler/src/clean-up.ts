import { featuresOf, NEWEST_VERSION, parseVersion, SUPPORTED_VERSIONS } from './configuration/features.js'
import type { NodeState } from './dataplane/languages.js'
import type { Run } from './dataplane/netfilter/run.js'
import { liveModeOf } from './targets/live-mode-of.js'
import type { CompiledMode } from './targets/modes.js'

export interface CleanUpOptions {
  /** The mode that is left. */
  readonly mode: CompiledMode
  /** The Kubernetes minor version to be faithful to, such as `1.30`. Default: the newest known. */
  readonly kubernetesVersion?: string | undefined
}

/**
 * The runs of tools by which kube-proxy leaves a mode on a node that holds `state` (compiled, or read from a dump). What the
 * kubelet or others use too stays. Mirrors `CleanupLeftovers` of the proxiers of kube-proxy v1.30. Throws for a version
 * that is not supported.
 */
export function cleanUp(
  state: NodeState,
  { mode, kubernetesVersion = NEWEST_VERSION }: CleanUpOptions,
): readonly Run[] {
  const version = parseVersion(kubernetesVersion)
  if (version === undefined) {
    throw new RangeError(`${kubernetesVersion} is none of the versions ${SUPPORTED_VERSIONS.join(', ')}`)
  }
  return liveModeOf(mode).cleanUp(state, featuresOf(version, new Map()))
}
