import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { addressPasteReader } from '../../dataplane/addresses/pasted.js'
import { ipsetPasteReader } from '../../dataplane/ipset/pasted/reader.js'
import { iptablesPasteReader } from '../../dataplane/iptables/pasted/reader.js'
import { ipvsPasteReader } from '../../dataplane/ipvs/pasted/reader.js'
import type { PasteReader } from '../../dataplane/netfilter/pasted.js'
import { nftablesPasteReader } from '../../dataplane/nftables/pasted/reader.js'

/** The lenient readers for excerpts, by subsystem. */
export const PASTE_READERS: { readonly [S in Subsystem]: PasteReader<StateOf<S>> } = {
  nftables: nftablesPasteReader,
  ipset: ipsetPasteReader,
  ipvs: ipvsPasteReader,
  addresses: addressPasteReader,
  iptables: iptablesPasteReader,
}
