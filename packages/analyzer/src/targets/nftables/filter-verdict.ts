import { isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet, Protocol } from '@kube-rules/types'
import { cidrContains, parseCidr } from '@kube-rules/types/internal/cidr'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { type BlockingVerdict, combineBlockingVerdicts } from '../shared/blocking-verdict.js'
import { destinationOf, type Place } from '../shared/packet-walk.js'

/** A verdict of the filter chains before DNAT. */
export interface EarlyVerdict {
  readonly verdict: BlockingVerdict
  /** Whether source ranges exclude the source. Otherwise, the destination has no endpoints. */
  readonly isFirewall: boolean
}

/**
 * Returns the verdict of the filter chains before DNAT: `firewall-check` and, up to 1.33 at the output hook, the chains
 * that check for endpoints. In 1.29, only locally generated packets traverse filter chains before DNAT.
 */
export function findEarlyVerdict(plan: Plan, packet: Packet): EarlyVerdict | undefined {
  const { alphaTable, earlyFilters } = plan.kernel.features
  const isOwn = packet.origin === 'node'
  const at = destinationOf(packet)
  const find = alphaTable ? findAlphaEndpointsVerdict : findServiceVerdict
  const verdict = isOwn && earlyFilters ? find(plan, packet.protocol, at) : undefined
  if (verdict !== undefined) return { verdict, isFirewall: false }
  const firewall = isOwn || !alphaTable ? findFirewallVerdict(plan, packet, at) : undefined
  return firewall && { verdict: firewall, isFirewall: true }
}

/**
 * Returns the verdict of the filter chains after DNAT. Packets to the node traverse `nodeport-endpoints-check` and
 * `service-endpoints-check`. Forwarded and outgoing packets traverse `service-endpoints-check` and `cluster-ips-check`.
 * Up to 1.33, outgoing packets traverse only `cluster-ips-check`. Packets of the node to itself also traverse the chains
 * at the prerouting and input hooks.
 */
export function findLateVerdict(plan: Plan, packet: Packet, at: Place): BlockingVerdict | undefined {
  const { alphaTable, earlyFilters } = plan.kernel.features
  const isLocal = isNodeAddress(plan.node, at.address)
  if (alphaTable) return packet.origin === 'node' && !isLocal ? undefined : findAlphaLateVerdict(plan, packet, at)
  if (packet.origin !== 'node' && isLocal) return findInputVerdict(plan, packet.protocol, at)
  const skipsServices = packet.origin === 'node' && earlyFilters
  const service = skipsServices ? undefined : findServiceVerdict(plan, packet.protocol, at)
  const verdict = service ?? findClusterIPVerdict(plan, at.address)
  if (verdict !== undefined || !isLocal) return verdict
  return findFirewallVerdict(plan, packet, at) ?? findInputVerdict(plan, packet.protocol, at)
}

/** Returns the verdict of the input and forward hooks in 1.29: `endpoints-check` and `firewall-check`. */
function findAlphaLateVerdict(plan: Plan, packet: Packet, at: Place): BlockingVerdict | undefined {
  return findAlphaEndpointsVerdict(plan, packet.protocol, at) ?? findFirewallVerdict(plan, packet, at)
}

function findAlphaEndpointsVerdict(plan: Plan, protocol: Protocol, at: Place): BlockingVerdict | undefined {
  const verdict = findServiceVerdict(plan, protocol, at)
  return verdict ?? (isNodeAddress(plan.node, at.address) ? findNodePortVerdict(plan, protocol, at) : undefined)
}

/** Returns the verdict of `firewall-check`: whether source ranges of a destination exclude the source of a packet. */
function findFirewallVerdict(
  { services, kernel }: Plan,
  { source, protocol }: Packet,
  { address, port }: Place,
): 'dropped' | undefined {
  const guarding = services.find(
    ({ id, frontends }) =>
      id.protocol === protocol &&
      frontends.some((each) => each.allowedSources !== undefined && each.address === address && each.port === port),
  )
  if (guarding === undefined) return undefined
  const ownSources = kernel.features.alphaTable ? [address] : loadBalancerIPsOf(guarding)
  return isAccepted(guarding, source, ownSources) ? undefined : 'dropped'
}

function loadBalancerIPsOf({ frontends }: ServicePlan): readonly string[] {
  return frontends.flatMap(({ kind, address }) => (kind === 'loadBalancer' && address !== undefined ? [address] : []))
}

/** Reports whether source ranges accept a source. If they contain the node, they also accept its `ownSources`. */
function isAccepted({ frontends }: ServicePlan, source: string, ownSources: readonly string[]): boolean {
  const allowed = frontends.find(({ allowedSources }) => allowedSources !== undefined)?.allowedSources
  if (allowed === undefined || allowed.ranges.some((range) => cidrContains(range, source))) return true
  return allowed.includesThisNode && ownSources.includes(source)
}

/** Returns the verdict at the input hook. The verdict on node ports precedes the verdict on addresses. */
function findInputVerdict(plan: Plan, protocol: Protocol, at: Place): BlockingVerdict | undefined {
  return findNodePortVerdict(plan, protocol, at) ?? findServiceVerdict(plan, protocol, at)
}

function findNodePortVerdict(plan: Plan, protocol: Protocol, { address, port }: Place): BlockingVerdict | undefined {
  const nodePorts = frontendsOf(plan, protocol).filter((each) => each.kind === 'nodePort' && each.port === port)
  const { all, addresses } = plan.nodePorts
  if (all ? !isLoopback(address) : addresses.includes(address)) {
    const verdict = combineBlockingVerdicts(nodePorts)
    if (verdict !== undefined) return verdict
  }
  const isRejected = isLoopback(address) && plan.rejectedLocalhostNodePorts.includes(protocol)
  return isRejected && nodePorts.length > 0 ? 'rejected' : undefined
}

/** Returns the verdict of `service-endpoints-check`: of the first Service that blocks packets to a destination. */
function findServiceVerdict(plan: Plan, protocol: Protocol, { address, port }: Place): BlockingVerdict | undefined {
  return combineBlockingVerdicts(
    frontendsOf(plan, protocol).filter((each) => each.address === address && each.port === port),
  )
}

/** Returns the verdict of `cluster-ips-check` on packets to cluster IPs and to unallocated addresses of a ServiceCIDR. */
function findClusterIPVerdict(plan: Plan, address: string): BlockingVerdict | undefined {
  if (isClusterIP(plan, address)) return 'rejected'
  return isInServiceCIDR(plan, address) ? 'dropped' : undefined
}

function isInServiceCIDR({ serviceCIDRs }: Plan, address: string): boolean {
  return serviceCIDRs.some((text) => {
    const network = parseCidr(text)
    return network !== undefined && cidrContains(network, address)
  })
}

export function isClusterIP({ services }: Plan, address: string): boolean {
  return services.some(({ frontends }) =>
    frontends.some((each) => each.kind === 'clusterIP' && each.address === address),
  )
}

function frontendsOf({ services }: Plan, protocol: Protocol): readonly Frontend[] {
  return services.filter(({ id }) => id.protocol === protocol).flatMap((service) => service.frontends)
}
