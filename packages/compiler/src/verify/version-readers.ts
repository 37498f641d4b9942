import type { NodeState } from '../dataplane/node-state.js'
import type { CompiledMode } from '../targets/modes.js'
import { writtenBy } from '../targets/nftables/written-by.js'

/** The minor versions of kube-proxy (`1.34`) that write a state; undefined where it does not tell, or never does in the mode. */
type VersionReader = (state: NodeState) => readonly string[] | undefined

export const VERSION_READERS: { readonly [M in CompiledMode]: VersionReader | undefined } = {
  iptables: undefined,
  ipvs: undefined,
  nftables: ({ nftables }) => nftables && writtenBy(nftables),
  userspace: undefined,
}
