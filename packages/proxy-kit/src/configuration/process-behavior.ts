import { featuresOf } from '@kube-rules/compiler/internal/model/configuration/features'
import {
  DEFAULT_PROXY_MODE,
  newestVersionOf,
  parseVersion,
} from '@kube-rules/compiler/internal/model/configuration/versions'

/** The differences between versions of kube-proxy that affect the process, but no rules. */
export interface ProcessBehavior {
  /** Whether `/healthz` and `/livez` report the health of each address family: 1.33 and newer. */
  readonly healthOfFamilies: boolean
  /** Whether `/healthz` fails until the Node is seen: 1.35 and newer. */
  readonly healthNeedsNode: boolean
  /** Whether the process ends if the Node is deleted: 1.37 and newer. Older versions only log the deletion. */
  readonly endsWithoutNode: boolean
}

/**
 * Returns the behavior of a version of kube-proxy, by default of the newest supported one.
 *
 * @example
 * ```ts
 * processBehaviorOf('1.36').endsWithoutNode // => false
 * ```
 */
export function processBehaviorOf(kubernetesVersion = ''): ProcessBehavior {
  const version = parseVersion(kubernetesVersion) ?? newestVersionOf(DEFAULT_PROXY_MODE)
  const { healthOfFamilies, healthNeedsNode, restartsForAddresses } = featuresOf(DEFAULT_PROXY_MODE, version, new Map())
  return { healthOfFamilies, healthNeedsNode, endsWithoutNode: restartsForAddresses }
}
