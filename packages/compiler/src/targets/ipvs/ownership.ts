import { IP_FAMILIES } from '@kube-rules/types'
import { DEVICE_RESOURCE } from '../../dataplane/addresses/resources.js'
import { createSetResource } from '../../dataplane/ipset/resources.js'
import { parseChainId } from '../../dataplane/iptables/resources.js'
import { formatIpsetId } from '../../dataplane/netfilter/format-ipset-id.js'
import type { ModeOwnership } from '../ownership.js'
import { iptablesResourceOwnership } from '../shared/iptables-ownership.js'
import { createStaticResources } from '../shared/static-resources.js'
import { FIREWALL_CHAIN, filterTableChains, natTableChains } from './chain-names.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { addressOwnership, ipsetOwnership, ipvsResourceOwnership } from './resource-ownership.js'
import { listIpsetDefinitions } from './sets.js'
import { removalRulesWith } from './termination.js'

/** The ownership of resources in mode `ipvs`. */
export const ipvsOwnership: ModeOwnership = {
  resources: ({ family, kernel: { features, ipvs } }) => ({
    ipset: ipsetOwnership(family, features),
    ipvs: ipvsResourceOwnership(ipvs.excludeCidrs, removalRulesWith(features)),
    addresses: addressOwnership(ipvs.excludeCidrs, removalRulesWith(features)),
    iptables: iptablesResourceOwnership(isOwnChain),
  }),
  isModeSpecific: (id) => {
    const { chain, table } = parseChainId(id)
    return isOwnChain(chain, table)
  },
  matches: (id) => OWN_SETS.has(id),
  staticResources: (family) => [
    ...listIpsetDefinitions(family).map(createSetResource),
    DEVICE_RESOURCE,
    ...createStaticResources([
      { table: 'nat', chains: natTableChains(), jumps: NAT_JUMPS },
      { table: 'filter', chains: filterTableChains(), jumps: FILTER_JUMPS },
    ]),
  ],
  provesMode: ({ addresses, ipset }) =>
    (addresses !== undefined && addresses.addresses.length > 0) ||
    (ipset?.sets.some(({ name }) => OWN_SETS.has(formatIpsetId(name))) ?? false),
}

const OWN_CHAINS: ReadonlySet<string> = new Set([
  ...filterTableChains(),
  ...natTableChains(),
  // A chain of 1.17 and older.
  'KUBE-FIRE-WALL',
])

const OWN_SETS: ReadonlySet<string> = new Set(
  IP_FAMILIES.flatMap((family) => listIpsetDefinitions(family).map(({ name }) => formatIpsetId(name))),
)

/** The filter table has a chain of the kubelet with the name of an old chain of the nat table. */
function isOwnChain(chain: string, table: string): boolean {
  return OWN_CHAINS.has(chain) || (table === 'nat' && chain === FIREWALL_CHAIN)
}
