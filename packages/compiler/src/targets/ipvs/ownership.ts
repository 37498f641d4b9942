import { IP_FAMILIES } from '@kube-rules/types'
import { DEVICE } from '../../dataplane/addresses/resources.js'
import { setResource } from '../../dataplane/ipset/resources.js'
import { chainOfId } from '../../dataplane/iptables/resources.js'
import { setId } from '../../dataplane/netfilter/set-id.js'
import type { ModeOwnership } from '../ownership.js'
import { fixedResources } from '../shared/fixed-resources.js'
import { iptablesResourceOwnership } from '../shared/iptables-ownership.js'
import { filterChains, natChains } from './chain-names.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { addressOwnership, ipsetOwnership, ipvsResourceOwnership } from './resource-ownership.js'
import { setDefinitions } from './sets.js'
import { removalWith } from './termination.js'

/** The ownership of resources in mode `ipvs`. */
export const ipvsOwnership: ModeOwnership = {
  resources: ({ family, kernel: { features, ipvs } }) => ({
    ipset: ipsetOwnership(family, features),
    ipvs: ipvsResourceOwnership(ipvs.excludeCidrs, removalWith(features)),
    addresses: addressOwnership(ipvs.excludeCidrs, removalWith(features)),
    iptables: iptablesResourceOwnership(isOwnChain),
  }),
  isModeSpecific: (id) => isOwnChain(chainOfId(id).chain),
  matches: (id) => OWN_SETS.has(id),
  fixed: (family) => [
    ...setDefinitions(family).map(setResource),
    DEVICE,
    ...fixedResources([
      { table: 'nat', chains: natChains(), jumps: NAT_JUMPS },
      { table: 'filter', chains: filterChains(), jumps: FILTER_JUMPS },
    ]),
  ],
  provesMode: ({ addresses, ipset }) =>
    (addresses !== undefined && addresses.addresses.length > 0) ||
    (ipset?.sets.some(({ name }) => OWN_SETS.has(setId(name))) ?? false),
}

const OWN_CHAINS: ReadonlySet<string> = new Set([
  ...filterChains(),
  ...natChains(),
  // A chain of 1.17 and older.
  'KUBE-FIRE-WALL',
])

const OWN_SETS: ReadonlySet<string> = new Set(
  IP_FAMILIES.flatMap((family) => setDefinitions(family).map(({ name }) => setId(name))),
)

function isOwnChain(chain: string): boolean {
  return OWN_CHAINS.has(chain)
}
