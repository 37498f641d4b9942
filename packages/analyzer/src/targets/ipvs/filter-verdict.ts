import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import type { BlockingVerdict } from '../shared/blocking-verdict.js'
import type { Place } from '../shared/packet-walk.js'
import { findFrontendsAt, findNodePortAddresses, isBound, preservesClientIP } from './local-addresses.js'

/** Returns the verdict of the filters of INPUT for a packet with this destination; undefined if they pass it. */
export function findInputVerdict(plan: Plan, packet: Packet, at: Place): BlockingVerdict | undefined {
  const { features } = plan.kernel
  if (features.accessFilter && isBound(plan, at.address) && !isAccessible(plan, packet, at)) return 'rejected'
  return isOutsideRanges(plan, packet, at) ? 'dropped' : undefined
}

/** Reports whether KUBE-IPVS-FILTER passes packets to a port of a bound address. */
function isAccessible(plan: Plan, packet: Packet, at: Place): boolean {
  const { accessToLocalExternalIPs, accessToHealthChecks } = plan.kernel.features
  const isServed = findFrontendsAt(plan, packet, at).some(
    (frontend) => accessToLocalExternalIPs || frontend.kind !== 'externalIP' || !preservesClientIP(frontend),
  )
  return isServed || (accessToHealthChecks && isAcceptedHealthCheck(plan, at))
}

function isAcceptedHealthCheck(plan: Plan, { port }: Place): boolean {
  const isServingNodePorts = findNodePortAddresses(plan).length > 0
  return plan.services.some(
    ({ healthCheckNodePort, frontends }) =>
      healthCheckNodePort === port && (isServingNodePorts || !frontends.some(({ kind }) => kind === 'nodePort')),
  )
}

/**
 * Reports whether source ranges at a destination exclude the source of a packet. The ranges of all frontends at the
 * destination accept packets. A range of prefix length 0 accepts none, because an ipset cannot contain it.
 */
function isOutsideRanges(plan: Plan, packet: Packet, at: Place): boolean {
  if (plan.kernel.features.sourceRangesInNat) return false
  const allowed = findFrontendsAt(plan, packet, at).flatMap(({ allowedSources }) => allowedSources ?? [])
  return (
    allowed.length > 0 &&
    !allowed.some(
      ({ ranges, includesThisNode }) =>
        ranges.some((range) => range.prefixLength > 0 && cidrContains(range, packet.source)) ||
        (includesThisNode && packet.source === at.address),
    )
  )
}

/** Reports whether KUBE-IPVS-OUT-FILTER drops a packet from a load-balancer IP to itself. */
export function isDroppedInOutput(plan: Plan, packet: Packet): boolean {
  const { source, destination: address, destinationPort: port } = packet
  if (!plan.kernel.features.ownPacketsFiltered || source !== address) return false
  return findFrontendsAt(plan, packet, { address, port }).some(
    ({ allowedSources }) => allowedSources?.includesThisNode === false,
  )
}
