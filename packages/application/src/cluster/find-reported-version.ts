import { versionsOf } from '@kube-rules/compiler'
import { findNodeVersion } from '@kube-rules/compiler/plan'
import type { KubeProxyConfiguration, Node } from '@kube-rules/types'

/** The kube-proxy version that a Node reports. */
export interface ReportedVersion {
  /** A supported version, `1.32` or `1.18.2`; undefined if the Node reports no supported version. */
  readonly version?: string | undefined
  /** A one-line note about the version, without a `note: ` prefix. */
  readonly note?: string | undefined
}

/**
 * Returns the kube-proxy version that the Node reports, with a note. It is the default version to emulate. If the
 * version is not supported, returns only the note. Returns nothing if the Node is missing or reports no version. `mode`
 * determines the supported versions.
 */
export function findReportedVersion(
  nodes: readonly Node[],
  nodeName: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
  mode: string = configuration?.mode ?? '',
): ReportedVersion {
  const nodeVersion = findNodeVersion(nodes, nodeName, configuration, mode)
  if (nodeVersion === undefined) return {}
  const { node, reported, version } = nodeVersion
  const start = `Node ${node} has version ${reported.slice(0, 40)}`
  if (version !== undefined) {
    return { version, note: `${start}: rules of kube-proxy ${version}; --kubernetes-version selects another` }
  }
  const versions = versionsOf(mode)
  const range = `${versions[0]} to ${versions.at(-1)}`
  return { note: `${start}, which is not one of ${range}: rules of kube-proxy ${versions.at(-1)}` }
}
