import { type Cidr, IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { IpAddress } from '@kube-rules/types/internal/ip'
import type { Features } from '../configuration/features.js'
import { addWarning, type DiagnosticCollector } from '../reading/diagnostic-collector.js'
import type { ClusterIPs } from './service-addresses.js'
import type { ServicePortFacts } from './service-port-facts.js'
import { effectiveSourceRangesOf, type SourceRange } from './source-ranges.js'

/** One validated Service, for both families. */
export interface ServiceFacts {
  readonly namespace: string
  readonly name: string
  readonly clusterIPs: ClusterIPs
  readonly ports: readonly ServicePortFacts[]
  /** The external IPs of both families, in the order of the Service. The next two fields have the same order. */
  readonly externalIPs: readonly IpAddress[]
  readonly loadBalancerIPs: readonly IpAddress[]
  readonly sourceRanges: readonly SourceRange[]
  readonly affinitySeconds: number | undefined
  readonly internalPolicyLocal: boolean
  readonly externalPolicyLocal: boolean
  readonly healthCheckNodePort: number
  readonly topologyHints: boolean
  /** The node labels that select endpoints; only with the feature `topologyKeys`. */
  readonly topologyKeys?: readonly string[] | undefined
  /** The load-balancer status entries as strings; only with the feature `connectionsTaken`. */
  readonly ingress?: readonly string[] | undefined
}

/** Warns about addresses of a family in which the Service has no cluster IP, because such addresses have no rules. */
export function warnAboutOtherFamilyAddresses(collector: DiagnosticCollector, facts: ServiceFacts): void {
  if (!hasAnyClusterIP(facts)) return
  for (const family of IP_FAMILIES) {
    if (facts.clusterIPs[family] !== undefined) continue
    warnOf(collector, 'spec.externalIPs', facts.externalIPs, family)
    warnOf(collector, 'status.loadBalancer.ingress', facts.loadBalancerIPs, family)
    const networks = facts.sourceRanges.map(({ network }) => network)
    warnOf(collector, 'spec.loadBalancerSourceRanges', networks, family)
  }
}

function hasAnyClusterIP(facts: ServiceFacts): boolean {
  return IP_FAMILIES.some((family) => facts.clusterIPs[family] !== undefined)
}

function warnOf(
  collector: DiagnosticCollector,
  path: string,
  items: readonly (IpAddress | Cidr)[],
  family: IpFamily,
): void {
  for (const item of items) {
    if (item.family !== family) continue
    addWarning(collector, 'otherAddressFamily', path, `${item.text} is unused: the Service has no ${family} cluster IP`)
  }
}

/** Warns if there are source ranges, but the load-balancer IPs of a family accept every source. */
export function warnAboutIgnoredSourceRanges(
  collector: DiagnosticCollector,
  facts: ServiceFacts,
  given: unknown,
  features: Features,
): void {
  if (!Array.isArray(given) || given.length === 0) return
  for (const family of IP_FAMILIES) {
    if (facts.clusterIPs[family] === undefined) continue
    if (!facts.loadBalancerIPs.some((address) => address.family === family)) continue
    if (effectiveSourceRangesOf(facts.sourceRanges, family, features).length > 0) continue
    const isKept = facts.sourceRanges.some(({ network }) => network.family === family)
    const cause = isKept ? 'a source range contains every address' : 'kube-proxy drops every source range'
    const message = `${cause}, so the ${family} load-balancer IPs are open to every source`
    addWarning(collector, 'sourceRangesIgnored', 'spec.loadBalancerSourceRanges', message)
  }
}
