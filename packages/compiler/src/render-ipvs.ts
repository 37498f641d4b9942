import { printRestore as printIpsetRestore, printSave as printIpsetSave } from './dataplane/ipset/print.js'
import { printRestore } from './dataplane/iptables/print.js'
import { type Backend, printSave } from './dataplane/iptables/print-save.js'
import {
  printRestore as printIpvsadmRestore,
  printSave as printIpvsadmSave,
  printListing,
} from './dataplane/ipvs/print.js'
import { printAddressBatch } from './targets/ipvs/addresses.js'
import type { IpvsModeState } from './targets/ipvs/state.js'

/** A part of the state of mode ipvs that one tool loads. */
export type IpvsPart = 'ipset' | 'ipvsadm' | 'addresses' | 'iptables'

export interface IpvsSpelling {
  readonly part?: IpvsPart | undefined
  readonly style?: 'restore' | 'save' | 'listing' | undefined
  readonly backend?: Backend | undefined
}

/** In the order in which they are to be applied: rules refer to sets, and an address is served before it is bound. */
const PARTS: readonly IpvsPart[] = ['ipset', 'ipvsadm', 'addresses', 'iptables']

/** One part, or all of them under a line with the name of each. */
export function renderIpvs(state: IpvsModeState, { part, ...spelling }: IpvsSpelling): string {
  if (part !== undefined) return renderPart(state, part, spelling)
  return PARTS.map((each) => `# ${each}\n${renderPart(state, each, spelling)}`).join('')
}

function renderPart(state: IpvsModeState, part: IpvsPart, { style, backend }: IpvsSpelling): string {
  const { virtualServers, ipsets, iptables } = state
  const saved = style === 'save'
  switch (part) {
    case 'ipset':
      return saved ? printIpsetSave(ipsets) : printIpsetRestore(ipsets)
    case 'ipvsadm':
      if (style === 'listing') return printListing(virtualServers)
      return saved ? printIpvsadmSave(virtualServers) : printIpvsadmRestore(virtualServers)
    case 'addresses':
      return printAddressBatch(state)
    case 'iptables':
      return saved ? printSave(iptables, { backend: backend ?? 'nft' }) : printRestore(iptables)
  }
}
