import { diffAddresses } from '../dataplane/addresses/claims.js'
import { diffIpset } from '../dataplane/ipset/claims.js'
import { diffIptables } from '../dataplane/iptables/diff/diff-state.js'
import { diffIpvs } from '../dataplane/ipvs/claims.js'
import { diffNftables } from '../dataplane/nftables/claims.js'
import type { StateOf, Subsystem } from '../dataplane/node-state.js'
import type { DiffOptions } from '../patch/diff-resources.js'
import type { Patch } from '../patch/patch.js'

/** A function that returns the patch from one state to another. An undefined state has no kube-proxy resources. */
export interface SubsystemDiffer<State> {
  diff(before: State | undefined, after: State | undefined, options?: DiffOptions): Patch
}

export const SUBSYSTEM_DIFFERS: { readonly [S in Subsystem]: SubsystemDiffer<StateOf<S>> } = {
  nftables: { diff: diffNftables },
  ipset: { diff: diffIpset },
  ipvs: { diff: diffIpvs },
  addresses: { diff: diffAddresses },
  iptables: { diff: diffIptables },
}
