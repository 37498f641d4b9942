import { isFromPod } from '@kube-rules/compiler/internal/plan/decide'
import type { FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { Place } from '../shared/packet-walk.js'
import { findFrontendsAt, findNodePortAddresses, isLocal, preservesClientIP } from './local-addresses.js'

/** Reports whether nat/KUBE-SERVICES marks a packet with this destination for masquerading. */
export function isMarked(plan: Plan, packet: Packet, at: Place): boolean {
  const { features } = plan.kernel
  if (features.loopbackNotMasqueraded && isLoopback(packet.source)) return false
  const frontends = findFrontendsAt(plan, packet, at)
  const ofKind = (wanted: FrontendKind) => frontends.filter(({ kind }) => kind === wanted)
  const [loadBalancers, externalIPs] = [ofKind('loadBalancer'), ofKind('externalIP')]
  if (loadBalancers.length > 0 && !loadBalancers.some(preservesClientIP)) return true
  if (isMarkedAsClusterIP(plan, packet, at)) return true
  // The rules of external IPs accept the packet, so the rules of node ports do not see it.
  if (externalIPs.length > 0) return !externalIPs.every(preservesClientIP)
  return isLocal(plan, at.address) && isMarkedAsNodePort(plan, packet, at)
}

function isMarkedAsClusterIP(plan: Plan, packet: Packet, at: Place): boolean {
  const isClusterIP = (place: Place) => findFrontendsAt(plan, packet, place).some(({ kind }) => kind === 'clusterIP')
  switch (plan.clusterIPMasquerade) {
    case 'all':
      return isClusterIP(at)
    case 'offCluster':
      return isClusterIP(at) && !isFromPod(plan.node.localTrafficDetection, packet)
    case 'none':
      return isFromClusterIP(plan, packet, at)
  }
}

/**
 * Reports whether the source of a packet is a cluster IP with the destination port. Without local traffic detection,
 * kube-proxy compares the source with the cluster IPs.
 */
export function isFromClusterIP(plan: Plan, packet: Packet, { port }: Place): boolean {
  if (plan.clusterIPMasquerade !== 'none') return false
  return findFrontendsAt(plan, packet, { address: packet.source, port }).some(({ kind }) => kind === 'clusterIP')
}

/**
 * Reports whether the rules of node ports mark a packet. The sets of TCP and UDP node ports contain only ports, so the
 * rules match them at every local address.
 */
export function isMarkedAsNodePort(plan: Plan, { protocol }: Packet, { address, port }: Place): boolean {
  const { servedNodePortsOnly, sctpNodePortsByAddress, localSctpNodePortsReturn } = plan.kernel.features
  const nodePorts = plan.services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap(({ frontends }) => frontends.filter((each) => each.kind === 'nodePort' && each.port === port))
  if (nodePorts.length === 0) return false
  const served = findNodePortAddresses(plan)
  if (protocol !== 'SCTP') return (served.length > 0 || !servedNodePortsOnly) && !nodePorts.some(preservesClientIP)
  if (!sctpNodePortsByAddress || !served.includes(address)) return false
  return !localSctpNodePortsReturn || !nodePorts.some(preservesClientIP)
}

/** Reports whether KUBE-LOOP-BACK contains a packet with this destination: its source is the local endpoint itself. */
export function isHairpin({ services }: Plan, { source, protocol }: Packet, at: Place): boolean {
  return (
    at.address === source &&
    services.some(
      ({ id, localEndpoints }) =>
        id.protocol === protocol && localEndpoints.some(({ ip, port }) => ip === at.address && port === at.port),
    )
  )
}
