import { versionsOf } from '@kube-rules/compiler'
import { parseVersion } from '@kube-rules/compiler/plan'
import type { KubeProxyConfiguration, Node } from '@kube-rules/types'

/** The kube-proxy of a node, as far as its Node reports it. */
export interface NodeVersion {
  /** A supported version, `1.32` or `1.18.2`; undefined if the Node reports none. */
  readonly version?: string | undefined
  /** One line about the version, without a prefix. */
  readonly note?: string | undefined
}

/**
 * Returns the default version to emulate: `kubeProxyVersion` of the Node that the rules are for. From Kubernetes 1.33
 * on that field is empty; then `kubeletVersion` is used, which the former always repeated. Returns nothing if the Node
 * is missing. `mode` determines the supported versions.
 */
export function versionOfNode(
  nodes: readonly Node[],
  nodeName: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
  mode: string = configuration?.mode ?? '',
): NodeVersion {
  const name = nodeName ?? configuration?.hostnameOverride?.trim().toLowerCase()
  const node = name ? nodes.find(({ metadata }) => metadata?.name === name) : nodes.length === 1 ? nodes[0] : undefined
  const info = (node?.status as { readonly nodeInfo?: Readonly<Record<string, unknown>> | null } | null | undefined)
    ?.nodeInfo
  for (const field of ['kubeProxyVersion', 'kubeletVersion']) {
    const written = info?.[field]
    if (typeof written === 'string' && written !== '') return readVersion(written, `${node?.metadata?.name}`, mode)
  }
  return {}
}

function readVersion(written: string, name: string, mode: string): NodeVersion {
  const version = parseVersion(written)
  const said = `Node ${name} has version ${written.slice(0, 40)}`
  if (version !== undefined && versionsOf(mode).includes(version.split('.', 2).join('.'))) {
    return { version, note: `${said}: rules of kube-proxy ${version}; --kubernetes-version selects another` }
  }
  const versions = versionsOf(mode)
  const range = `${versions[0]} to ${versions.at(-1)}`
  return { note: `${said}, which is not one of ${range}: rules of kube-proxy ${versions.at(-1)}` }
}
