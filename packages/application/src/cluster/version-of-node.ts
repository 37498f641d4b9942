import { versionsOf } from '@kube-rules/compiler'
import { findNodeVersion } from '@kube-rules/compiler/plan'
import type { KubeProxyConfiguration, Node } from '@kube-rules/types'

/** The kube-proxy of a node, as far as its Node reports it. */
export interface ReportedVersion {
  /** A supported version, `1.32` or `1.18.2`; undefined if the Node reports none. */
  readonly version?: string | undefined
  /** One line about the version, without a prefix. */
  readonly note?: string | undefined
}

/**
 * Returns the default version to emulate, that of the Node that the rules are for, with a note. Returns nothing if the
 * Node is missing or reports none. `mode` determines the supported versions.
 */
export function versionOfNode(
  nodes: readonly Node[],
  nodeName: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
  mode: string = configuration?.mode ?? '',
): ReportedVersion {
  const found = findNodeVersion(nodes, nodeName, configuration, mode)
  if (found === undefined) return {}
  const { node, reported, version } = found
  const start = `Node ${node} has version ${reported.slice(0, 40)}`
  if (version !== undefined) {
    return { version, note: `${start}: rules of kube-proxy ${version}; --kubernetes-version selects another` }
  }
  const versions = versionsOf(mode)
  const range = `${versions[0]} to ${versions.at(-1)}`
  return { note: `${start}, which is not one of ${range}: rules of kube-proxy ${versions.at(-1)}` }
}
