import { type Decision, isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { BlockingVerdict } from '../shared/blocking-verdict.js'
import { destinationOf, type Endpoint, type PacketWalk } from '../shared/packet-walk.js'
import { findFrontendsAt, isBound } from './local-addresses.js'
import { isFromClusterIP, isMarked, isMarkedAsNodePort } from './masquerading.js'

// The limitations of ipvs mode, by the branch that deviates from the decision of the plan.

/** Returns the limitation that explains why a filter or an empty virtual server blocks a packet. */
export function nameBlock({ plan, packet, expected }: PacketWalk, verdict: BlockingVerdict): string {
  if (expected.kind === 'unmatched') return 'otherPortsRejected'
  if (expected.kind === 'healthCheck') return 'healthChecksRejected'
  const { frontend, reason } = expected
  if (reason === 'noEndpoints') return 'emptyVirtualServer'
  if (verdict === 'dropped') return nameSourceRanges(plan, packet, expected)
  if (isRejectedLocalExternalIP(plan, frontend)) return 'externalIPRejected'
  if (frontend.kind === 'nodePort' && isBound(plan, packet.destination)) return 'nodePortAddresses'
  if (reason === 'noLocalEndpoints') return 'emptyVirtualServer'
  return reason === 'sourceRange' ? 'markedToDrop' : 'noShortCircuit'
}

/** Reports whether KUBE-IPVS-FILTER rejects packets to a frontend because it is an external IP with policy Local. */
function isRejectedLocalExternalIP({ kernel }: Plan, { kind, preservesClientIP }: Frontend): boolean {
  const { accessFilter, accessToLocalExternalIPs } = kernel.features
  return accessFilter && !accessToLocalExternalIPs && kind === 'externalIP' && preservesClientIP === true
}

function nameSourceRanges(
  plan: Plan,
  { source }: Packet,
  { frontend, servicePort }: Extract<Decision, { readonly frontend: Frontend }>,
): string {
  const { allowedSources } = frontend
  if (allowedSources === undefined) return 'guardedAddress'
  const service = plan.services.find(({ id }) => id === servicePort)
  const isOtherLoadBalancerIP =
    source !== frontend.address &&
    service?.frontends.some(({ kind, address }) => kind === 'loadBalancer' && address === source)
  if (isOtherLoadBalancerIP && allowedSources.includesThisNode) return 'otherLoadBalancerIPs'
  return 'zeroSourceRange'
}

/** Returns the limitations of a packet without a virtual server. */
export function nameUnmatched(
  { plan, packet, expected }: PacketWalk,
  isToNode: boolean,
  isMasqueraded: boolean,
): readonly string[] {
  if (expected.kind !== 'unmatched' && expected.kind !== 'healthCheck') return ['nodePortAddresses']
  const isBoundOnly = isToNode && !isNodeAddress(plan.node, packet.destination)
  const reachesNode = plan.kernel.features.accessFilter ? 'otherPortsRejected' : 'otherPortsReachNode'
  return [...(isBoundOnly ? [reachesNode] : []), ...(isMasqueraded ? [nameUnmatchedMasquerading(plan, packet)] : [])]
}

function nameUnmatchedMasquerading(plan: Plan, packet: Packet): string {
  const at = destinationOf(packet)
  if (!isMarked(plan, packet, at)) return 'directHairpin'
  return isFromClusterIP(plan, packet, at) && !isMarkedAsNodePort(plan, packet, at)
    ? 'fromClusterIP'
    : 'nodePortAddresses'
}

/** Returns the limitation that explains real servers other than the expected endpoints; undefined if they are equal. */
export function nameSelection(
  { plan, packet, expected }: PacketWalk,
  endpoints: readonly Endpoint[],
): string | undefined {
  switch (expected.kind) {
    case 'endpoints': {
      const { candidates } = expected
      const isSame =
        candidates.length === endpoints.length &&
        candidates.every(({ endpoint }, index) => endpoint === endpoints[index])
      return isSame ? undefined : 'noShortCircuit'
    }
    case 'drop':
      if (expected.reason === 'noLocalEndpoints') return 'localFallsBack'
      if (plan.kernel.features.sourceRangesInNat) return 'markedToDrop'
      return packet.origin === 'node' ? 'ownPacketsNotLimited' : 'sharedEntries'
    default:
      return 'contested'
  }
}

/** Returns the limitation that explains unexpected masquerading, or missing masquerading, of a packet to an endpoint. */
export function nameMasquerading(
  { plan, packet, expected }: PacketWalk,
  endpoint: Endpoint,
  isMasqueraded: boolean,
): string {
  if (!('frontend' in expected)) return 'sharedEntries'
  const { frontend, reason } = expected
  if (isBound(plan, endpoint.ip)) return 'boundEndpoint'
  const isSctpNodePort = packet.protocol === 'SCTP' && frontend.kind === 'nodePort'
  const isLegacySctp = isSctpNodePort && !plan.kernel.features.localSctpNodePortsReturn
  if (isMasqueraded) {
    if ([packet.destinationPort, endpoint.port].some((port) => isFromClusterIP(plan, packet, { address: '', port })))
      return 'fromClusterIP'
    if (isLegacySctp) return 'sctpMasquerading'
    return isExternalClusterIP(plan, packet) ? 'externalClusterIP' : 'sharedEntries'
  }
  if (plan.kernel.features.loopbackNotMasqueraded && isLoopback(packet.source)) return 'loopbackNotMasqueraded'
  if (isLegacySctp) return 'sctpMasquerading'
  if (reason === 'nodeShortCircuit') return 'ownPacketsNotMasqueraded'
  return endpoint.ip === packet.source && !endpoint.local ? 'remoteHairpin' : 'sharedEntries'
}

/** Reports whether a cluster IP and an external frontend have the destination of a packet. */
function isExternalClusterIP(plan: Plan, packet: Packet): boolean {
  const kinds = findFrontendsAt(plan, packet, destinationOf(packet)).map(({ kind }) => kind)
  return kinds.includes('clusterIP') && kinds.some((kind) => kind !== 'clusterIP')
}
