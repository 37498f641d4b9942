import type { Subsystem } from '../dataplane/node-state.js'

/** The list that the state of each subsystem has. It may be computed on demand, so that its presence is checked alone. */
export const STATE_LIST_FIELDS: { readonly [S in Subsystem]: string } = {
  nftables: 'tables',
  ipset: 'sets',
  ipvs: 'virtualServers',
  addresses: 'addresses',
  iptables: 'tables',
}
