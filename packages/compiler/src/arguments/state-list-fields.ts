import type { Subsystem } from '../dataplane/node-state.js'

/**
 * The list that the state of each subsystem has. Only the presence of the list is checked, because its items may be
 * computed on demand.
 */
export const STATE_LIST_FIELDS: { readonly [S in Subsystem]: string } = {
  nftables: 'tables',
  ipset: 'sets',
  ipvs: 'virtualServers',
  addresses: 'addresses',
  iptables: 'tables',
}
