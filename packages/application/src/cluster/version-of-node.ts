import { versionsOf } from '@kube-rules/compiler/tables'
import type { KubeProxyConfiguration, Node } from '@kube-rules/types'

/** The kube-proxy that runs on a node, as far as its Node tells. */
export interface NodeVersion {
  /** A supported minor version; undefined where the Node tells none. */
  readonly version?: string | undefined
  /** One line that says so, without a prefix. */
  readonly note?: string | undefined
}

/**
 * The version to be faithful to where none is asked for: `kubeProxyVersion` of the Node that rules are for, or where that is
 * empty, as from Kubernetes 1.33 on, `kubeletVersion`, which is what the former repeated. Nothing where the Node is not there.
 * `mode` says which versions there are.
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
    if (typeof written === 'string' && written !== '')
      return readVersion(written, `${node?.metadata?.name}`, versionsOf(mode))
  }
  return {}
}

function readVersion(written: string, name: string, versions: readonly string[]): NodeVersion {
  const [, minor] = /^v?(\d+\.\d+)(?:\.|$)/.exec(written) ?? []
  const version = versions.find((supported) => supported === minor)
  const said = `Node ${name} says ${written.slice(0, 40)}`
  if (version !== undefined) {
    return { version, note: `${said}: rules of kube-proxy ${version}; --kubernetes-version asks for another` }
  }
  const range = `${versions[0]} to ${versions.at(-1)}`
  return { note: `${said}, which is none of ${range}: rules of kube-proxy ${versions.at(-1)}` }
}
