import type { KubeProxyConfiguration, Node } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { isSupportedVersion, parseVersion } from '../configuration/versions.js'
import { type Fields, isObject } from '../reading/read-field.js'

/** The version of kube-proxy that a Node reports. */
export interface NodeVersion {
  /** The name of the Node. */
  readonly node: string
  /** The version text in the status of the Node. */
  readonly reported: string
  /** The supported version, for example `1.32` or `1.18.2`. Absent if the version does not support the mode. */
  readonly version?: string | undefined
}

/**
 * Finds the version that a Node reports. This is `kubeProxyVersion` or, if that field is empty (from Kubernetes 1.33
 * on), `kubeletVersion`. The default node name is `hostnameOverride`, else the name of the only Node. Returns undefined
 * if the Node does not exist or reports no version. `mode` determines the supported versions.
 */
export function findNodeVersion(
  nodes: Iterable<Node>,
  nodeName: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
  mode: string = textOf(configuration?.mode),
): NodeVersion | undefined {
  const all = Array.from(nodes)
    .filter((node) => !isOfOtherGroup('Node', node))
    .map(nodeFieldsOf)
  const name = nodeName || textOf(configuration?.hostnameOverride).trim().toLowerCase()
  const node = name ? all.find((node) => node.name === name) : all.length === 1 ? all[0] : undefined
  const reported = [node?.info.kubeProxyVersion, node?.info.kubeletVersion].find(isFilled)
  if (node === undefined || reported === undefined) return undefined
  const version = parseVersion(reported)
  const isKnown = version !== undefined && isSupportedVersion(mode, version)
  return { node: node.name, reported, ...(isKnown && { version }) }
}

function nodeFieldsOf(node: unknown): { readonly name: string; readonly info: Fields } {
  const [metadata, status] = isObject(node) ? [node.metadata, node.status] : []
  const name = isObject(metadata) ? metadata.name : undefined
  const info = isObject(status) ? status.nodeInfo : undefined
  return { name: typeof name === 'string' ? name : '', info: isObject(info) ? info : {} }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
