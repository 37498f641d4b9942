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
 * Returns the kube-proxy version that the Node reports, with a note. It is the default version to emulate. Returns
 * nothing if the Node is missing or reports no version. Returns nothing for a version without the mode either, because
 * `compile` warns in this case. `mode` determines the supported versions.
 */
export function findReportedVersion(
  nodes: readonly Node[],
  nodeName: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
  mode: string = configuration?.mode ?? '',
): ReportedVersion {
  const nodeVersion = findNodeVersion(nodes, nodeName, configuration, mode)
  if (nodeVersion?.version === undefined) return {}
  const { node, reported, version } = nodeVersion
  const start = `Node ${node} has version ${reported.slice(0, 40)}`
  return { version, note: `${start}: rules of kube-proxy ${version}; --kubernetes-version selects another` }
}
