import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { pastedAddresses } from '../../dataplane/addresses/pasted.js'
import { pastedIpset } from '../../dataplane/ipset/pasted/reader.js'
import { pastedIptables } from '../../dataplane/iptables/pasted/reader.js'
import { pastedIpvs } from '../../dataplane/ipvs/pasted/reader.js'
import type { PastedReader } from '../../dataplane/netfilter/pasted.js'
import { pastedNftables } from '../../dataplane/nftables/pasted/reader.js'

/** The lenient readers for excerpts, by subsystem. */
export const PASTE_READERS: { readonly [S in Subsystem]: PastedReader<StateOf<S>> } = {
  nftables: pastedNftables,
  ipset: pastedIpset,
  ipvs: pastedIpvs,
  addresses: pastedAddresses,
  iptables: pastedIptables,
}
