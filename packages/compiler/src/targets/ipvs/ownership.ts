import { IP_FAMILIES } from '@kube-rules/types'
import { DEVICE } from '../../dataplane/addresses/resources.js'
import { setResource } from '../../dataplane/ipset/resources.js'
import { chainOfId } from '../../dataplane/iptables/resources.js'
import { setId } from '../../dataplane/netfilter/set-id.js'
import type { ModeOwnership } from '../ownership.js'
import { fixedResources } from '../shared/fixed-resources.js'
import { iptablesResourceOwnership } from '../shared/iptables-ownership.js'
import { ADDRESS_OWNERSHIP, ipsetOwnership, ipvsResourceOwnership } from './custody.js'
import { FILTER_CHAINS } from './filter-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { NAT_CHAINS } from './nat-rules.js'
import { kernelSetName, SET_NAMES, setDefinitions } from './sets.js'

/** What is kube-proxy's in mode `ipvs`. */
export const ipvsOwnership: ModeOwnership = {
  resources: ({ family, kernel }) => ({
    ipset: ipsetOwnership(family),
    ipvs: ipvsResourceOwnership(kernel.ipvs.excludeCidrs),
    addresses: ADDRESS_OWNERSHIP,
    iptables: iptablesResourceOwnership(isOwnChain),
  }),
  leavesBehind: (id) => isOwnChain(chainOfId(id).chain),
  matches: (id) => OWN_SETS.has(id),
  fixed: (family) => [
    ...setDefinitions(family).map(setResource),
    DEVICE,
    ...fixedResources([
      { table: 'nat', chains: NAT_CHAINS, jumps: NAT_JUMPS },
      { table: 'filter', chains: FILTER_CHAINS, jumps: FILTER_JUMPS },
    ]),
  ],
  leavesTraces: ({ addresses, ipset }) =>
    (addresses !== undefined && addresses.addresses.length > 0) ||
    (ipset?.sets.some(({ name }) => OWN_SETS.has(setId(name))) ?? false),
}

const OWN_CHAINS: ReadonlySet<string> = new Set([
  ...FILTER_CHAINS,
  ...NAT_CHAINS,
  // A chain of 1.17 and older.
  'KUBE-FIRE-WALL',
])

const OWN_SETS: ReadonlySet<string> = new Set(
  IP_FAMILIES.flatMap((family) => SET_NAMES.map((name) => setId(kernelSetName(name, family)))),
)

function isOwnChain(chain: string): boolean {
  return OWN_CHAINS.has(chain)
}
