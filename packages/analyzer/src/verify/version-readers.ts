import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { inferVersions } from '../targets/nftables/infer-versions.js'

/**
 * Returns the minor versions of kube-proxy (`1.34`) that write such a state; undefined if they cannot be determined
 * from the state.
 */
type VersionReader = (state: NodeState) => readonly string[] | undefined

export const VERSION_READERS: { readonly [M in ProxyMode]: VersionReader | undefined } = {
  iptables: undefined,
  ipvs: undefined,
  nftables: ({ nftables }) => nftables && inferVersions(nftables),
  userspace: undefined,
}
