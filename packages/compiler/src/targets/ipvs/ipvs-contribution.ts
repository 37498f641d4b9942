import type { AddressContribution } from '../../dataplane/addresses/ast.js'
import type { Entry, EntryContribution, EntryWithSet } from '../../dataplane/ipset/ast.js'
import type { Rule, RuleBlock } from '../../dataplane/iptables/ast.js'
import type { ServerContribution, VirtualServer } from '../../dataplane/ipvs/ast.js'
import { compactList } from '../../internal/compact-list.js'
import { mapList } from '../../internal/map-list.js'
import { formatServicePort } from '../../model/services/format-service-port.js'
import { hasAllowedSources } from '../../plan/frontend.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import { createSourceAddressMatch } from '../shared/match.js'
import { IPVS_OUT_FILTER_CHAIN } from './chain-names.js'
import type { LoweringContext } from './lowering-context.js'
import { createServiceSetEntries } from './set-entries.js'
import { createSetMask, ipsetDefinitionOf, type SetEntry, type SetMask } from './sets.js'
import { createServiceVirtualServers } from './virtual-servers.js'

/** The contribution of one service port to the ipvs state: virtual servers, set entries, addresses and rules. */
export interface IpvsContribution extends ServerContribution, EntryContribution, AddressContribution {
  /** The label of the service port: `default/web:http/TCP`. */
  readonly owner: string
  /** Virtual servers at the addresses of the Service. */
  readonly virtualServers: readonly VirtualServer[]
  /** Virtual servers at the addresses of the node, with lower precedence than virtual servers at Service addresses. */
  readonly fallbackServers: readonly VirtualServer[]
  /** Set entries, including entries of `KUBE-IPVS-IPS`. */
  readonly entries: readonly EntryWithSet[]
  /**
   * The entries that kube-proxy tries to add and the kernel rejects. The sets never contain these entries. `pnpm
   * conformance` compares the entries with the attempts in recordings of kube-proxy.
   */
  readonly rejectedEntries: readonly SetEntry[]
  /** Addresses to bind to `kube-ipvs0`. */
  readonly boundAddresses: readonly string[]
  /**
   * The sets of `entries` and `rejectedEntries`, excluding `KUBE-IPVS-IPS`, as a bit mask. The mask is fast to evaluate
   * for very many service ports. It includes sets with only rejected entries, because kube-proxy writes rules for a set
   * after any attempt to add an entry.
   */
  readonly filledSets: SetMask
  /** The rules of the service port in the filter table; undefined if it has no rules there. */
  readonly filter: RuleBlock | undefined
}

/**
 * Returns the contribution of a service port. Mirrors the body of the service loop of `syncProxyRules` in the ipvs
 * proxier of kube-proxy v1.30.
 */
export function createIpvsContribution(service: ServicePlan, lowering: LoweringContext): IpvsContribution {
  const entries = createServiceSetEntries(service, lowering)
  const addresses = boundAddresses(service, lowering)
  const rejected = entries.filter(({ entry }) => !isLoadableEntry(entry))
  const loaded = rejected.length === 0 ? entries : entries.filter(({ entry }) => isLoadableEntry(entry))
  const servers = createServiceVirtualServers(service, lowering)
  return {
    owner: formatServicePort(service.id),
    virtualServers: servers.virtualServers,
    fallbackServers: servers.fallbackServers,
    entries: entryValues([...loaded, ...boundEntries(addresses, lowering)], lowering),
    rejectedEntries: rejected.length === 0 ? NONE : rejected,
    boundAddresses: addresses,
    filledSets: createSetMask(entries),
    filter: lowering.features.ownPacketsFiltered ? outputFilterBlock(service) : undefined,
  }
}

function entryValues(entries: readonly SetEntry[], { family, features }: LoweringContext): readonly EntryWithSet[] {
  return compactList(mapList(entries, ({ set, entry }) => ({ set: ipsetDefinitionOf(set, family, features), entry })))
}

/** Returns the `KUBE-IPVS-IPS` entries for the addresses that are bound to `kube-ipvs0`. */
function boundEntries(addresses: readonly string[], { features }: LoweringContext): readonly SetEntry[] {
  if (!features.accessFilter) return NONE
  return mapList(addresses, (address) => ({ set: 'KUBE-IPVS-IPS', entry: { kind: 'ip', address } }))
}

const NONE: readonly SetEntry[] = []

/** Returns the addresses to bind. Cluster IPs are always bound, even if the node already has them. */
function boundAddresses({ frontends }: ServicePlan, { ownAddresses, features }: LoweringContext): readonly string[] {
  const bound: string[] = []
  for (const { kind, address } of frontends) {
    if (address === undefined) continue
    const isAlwaysBound = kind === 'clusterIP' || features.ownAddressesBound
    if (isAlwaysBound || !ownAddresses.includes(address)) bound.push(address)
  }
  return compactList(bound)
}

/** Reports whether the kernel accepts the entry. No hash set accepts a network with the prefix length 0. */
function isLoadableEntry(entry: Entry): boolean {
  return entry.kind !== 'ip,port,net' || !entry.network.endsWith('/0')
}

/**
 * Returns the rules that block packets from the node itself to load-balancer IPs with source ranges that do not contain
 * the node. The source of these packets is the load-balancer IP, because it is a local address. Returns undefined if
 * there are no rules.
 */
function outputFilterBlock(service: ServicePlan): RuleBlock | undefined {
  if (!service.frontends.some(hasAllowedSources)) return undefined
  const owner = formatServicePort(service.id)
  const rules = service.frontends.flatMap((frontend) => dropRules(service, frontend))
  return rules.length === 0 ? undefined : { owner, chains: [], rules }
}

function dropRules({ id }: ServicePlan, { address, port, allowedSources }: Frontend): readonly Rule[] {
  if (address === undefined || allowedSources === undefined || allowedSources.includesThisNode) return []
  const protocol = id.protocol.toLowerCase()
  return [
    {
      chain: IPVS_OUT_FILTER_CHAIN,
      matches: [createSourceAddressMatch(address), { kind: 'ipvs', address, protocol, port }],
      target: { kind: 'drop' },
    },
  ]
}
