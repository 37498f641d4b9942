import type { Block } from '../../dataplane/iptables/ast.js'
import type { VirtualServer } from '../../dataplane/ipvs/ast.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Lowering } from './lowering.js'
import { outFilter } from './out-filter.js'
import { setEntries } from './set-entries.js'
import { type SetEntry, type SetMask, setMask } from './sets.js'
import { virtualServers } from './virtual-servers.js'

/** What one service port contributes to the state. */
export interface ServiceEntries {
  /** Under the addresses of the Service. */
  readonly virtualServers: readonly VirtualServer[]
  /** Under the addresses of the node. */
  readonly nodePortServers: readonly VirtualServer[]
  readonly setEntries: readonly SetEntry[]
  /** Addresses that `kube-ipvs0` has to carry. */
  readonly boundAddresses: readonly string[]
  /** The sets of `setEntries`, for a glance at very many of these. */
  readonly filledSets: SetMask
  /** Its rules of the filter table; undefined where it has none. */
  readonly filter: Block | undefined
}

/** Mirrors the body of the service loop of `syncProxyRules` in the ipvs proxier of kube-proxy v1.30. */
export function serviceEntries(service: ServicePlan, lowering: Lowering): ServiceEntries {
  const isNodePort = ({ kind }: Frontend): boolean => kind === 'nodePort'
  const addressed = service.frontends.filter((frontend) => !isNodePort(frontend))
  const entries = setEntries(service, lowering)
  return {
    virtualServers: virtualServers(service, addressed, lowering),
    nodePortServers: virtualServers(service, service.frontends.filter(isNodePort), lowering),
    setEntries: entries,
    boundAddresses: service.frontends.flatMap((frontend) => boundAddress(frontend, lowering)),
    filledSets: setMask(entries.map(({ set }) => set)),
    filter: outFilter(service),
  }
}

/** Cluster IPs are always bound, even where the node has the address anyway. */
function boundAddress({ kind, address }: Frontend, { ownAddresses }: Lowering): readonly string[] {
  return address !== undefined && (kind === 'clusterIP' || !ownAddresses.includes(address)) ? [address] : []
}
