import type { Block } from '../../dataplane/iptables/ast.js'
import type { VirtualServer } from '../../dataplane/ipvs/ast.js'
import { compact } from '../../internal/compact.js'
import type { ServicePlan } from '../../plan/plan.js'
import { isLoadable } from './is-loadable.js'
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
  /** Entries that kube-proxy tries to add and the kernel refuses: they are never in their sets. */
  readonly refusedEntries: readonly SetEntry[]
  /** Addresses that `kube-ipvs0` has to carry. */
  readonly boundAddresses: readonly string[]
  /**
   * The sets of `setEntries` and `refusedEntries`, for a glance at very many of these: kube-proxy writes rules for a set
   * to which it has tried to add something.
   */
  readonly filledSets: SetMask
  /** Its rules of the filter table; undefined where it has none. */
  readonly filter: Block | undefined
}

/** Mirrors the body of the service loop of `syncProxyRules` in the ipvs proxier of kube-proxy v1.30. */
export function serviceEntries(service: ServicePlan, lowering: Lowering): ServiceEntries {
  const { addressed, nodePorts } = virtualServers(service, lowering)
  const entries = setEntries(service, lowering)
  return {
    virtualServers: addressed,
    nodePortServers: nodePorts,
    ...sortedOut(entries),
    boundAddresses: boundAddresses(service, lowering),
    filledSets: setMask(entries),
    filter: outFilter(service),
  }
}

/** Most service ports have no refused entry, and keep their list. */
function sortedOut(entries: readonly SetEntry[]): Pick<ServiceEntries, 'setEntries' | 'refusedEntries'> {
  if (entries.every(({ entry }) => isLoadable(entry))) return { setEntries: entries, refusedEntries: NONE }
  return {
    setEntries: compact(entries.filter(({ entry }) => isLoadable(entry))),
    refusedEntries: entries.filter(({ entry }) => !isLoadable(entry)),
  }
}

const NONE: readonly SetEntry[] = []

/** Cluster IPs are always bound, even where the node has the address anyway. */
function boundAddresses({ frontends }: ServicePlan, { ownAddresses }: Lowering): readonly string[] {
  const bound: string[] = []
  for (const { kind, address } of frontends) {
    if (address !== undefined && (kind === 'clusterIP' || !ownAddresses.includes(address))) bound.push(address)
  }
  return compact(bound)
}
