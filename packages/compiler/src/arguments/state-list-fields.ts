import type { Subsystem } from '../dataplane/node-state.js'

/**
 * The name of the list field in the state of each subsystem. Checks read only the presence of the list, because the
 * items may be computed on demand.
 */
export const STATE_LIST_FIELDS: { readonly [S in Subsystem]: string } = {
  nftables: 'tables',
  ipset: 'sets',
  ipvs: 'virtualServers',
  addresses: 'addresses',
  iptables: 'tables',
}
