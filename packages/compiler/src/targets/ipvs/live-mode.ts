import { familyOf, IP_FAMILIES } from '@kube-rules/types'
import type { AddressState } from '../../dataplane/addresses/ast.js'
import { DEVICE } from '../../dataplane/addresses/resources.js'
import { setResource } from '../../dataplane/ipset/resources.js'
import { chainOfId } from '../../dataplane/iptables/resources.js'
import { serverOwners } from '../../dataplane/ipvs/claims.js'
import { virtualServerId } from '../../dataplane/ipvs/resources.js'
import type { NodeState } from '../../dataplane/languages.js'
import { setId } from '../../dataplane/netfilter/set-id.js'
import type { LiveMode, StateFrontend } from '../live-mode.js'
import { fixedResources } from '../shared/fixed-resources.js'
import { iptablesCustody } from '../shared/iptables-custody.js'
import { readPodTraffic } from '../shared/read-pod-traffic.js'
import { cleanUp } from './clean-up.js'
import { ADDRESS_CUSTODY, ipsetCustody, ipvsCustody } from './custody.js'
import { EXPLANATIONS } from './explanations.js'
import { FILTER_CHAINS } from './filter-rules.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'
import { NAT_CHAINS } from './nat-rules.js'
import { kernelSetName, SET_NAMES, setDefinitions } from './sets.js'

/** Mode `ipvs` on a node. */
export const liveIpvsMode: LiveMode = {
  attribute,
  frontends: frontendsOfServers,
  podTraffic: ({ iptables }) => iptables && readPodTraffic(iptables),
  custody: ({ family, kernel }) => ({
    ipset: ipsetCustody(family),
    ipvs: ipvsCustody(kernel.ipvs.excludeCidrs),
    addresses: ADDRESS_CUSTODY,
    iptables: iptablesCustody(isOwnChain),
  }),
  leavesBehind: (id) => isOwnChain(chainOfId(id).chain),
  asks: (id) => OWN_SETS.has(id),
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
  cleanUp,
  explanations: EXPLANATIONS,
}

const OWN_CHAINS: ReadonlySet<string> = new Set([
  ...FILTER_CHAINS,
  ...NAT_CHAINS,
  // Of 1.17 and older.
  'KUBE-FIRE-WALL',
])

const OWN_SETS: ReadonlySet<string> = new Set(
  IP_FAMILIES.flatMap((family) => SET_NAMES.map((name) => setId(kernelSetName(name, family)))),
)

function isOwnChain(chain: string): boolean {
  return OWN_CHAINS.has(chain)
}

function attribute(live: NodeState, wanted?: NodeState): NodeState {
  const addresses = live.addresses ?? addressesOfSets(live)
  return withOwners(addresses === undefined ? live : { ...live, addresses }, wanted)
}

/** The addresses of `kube-ipvs0`, which one of the sets holds too. */
function addressesOfSets({ family, ipset }: NodeState): AddressState | undefined {
  const bound = ipset?.sets.find(({ name }) => name === kernelSetName('KUBE-IPVS-IPS', family))
  return bound && { addresses: bound.entries.flatMap((entry) => (entry.kind === 'ip' ? entry.address : [])).sort() }
}

/** Virtual servers do not tell whose they are: those that should be there are of whom they should be. */
function withOwners(live: NodeState, wanted: NodeState | undefined): NodeState {
  if (live.ipvs === undefined || wanted?.ipvs === undefined) return live
  const owners = serverOwners(wanted.ipvs)
  const contributions = live.ipvs.virtualServers.map((server) => ({
    owner: owners.get(virtualServerId(server)) ?? '',
    virtualServers: [server],
    yieldingServers: [],
  }))
  return { ...live, ipvs: { ...live.ipvs, contributions } }
}

function frontendsOfServers({ family, ipvs }: NodeState): readonly StateFrontend[] {
  if (ipvs === undefined) return []
  const owners = serverOwners(ipvs)
  return ipvs.virtualServers
    .filter(({ address }) => familyOf(address) === family)
    .map((server) => {
      const { address, port, protocol } = server
      return { owner: owners.get(virtualServerId(server)) ?? '', protocol, address, port }
    })
}
