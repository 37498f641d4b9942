import { isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLinkLocal, isLoopback } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import type { Place } from '../shared/packet-walk.js'

/** Returns the addresses where node ports have virtual servers. */
export function findNodePortAddresses({ node, nodePorts, kernel }: Plan): readonly string[] {
  const used = nodePorts.all ? ownAddressesOf(node) : nodePorts.addresses
  return used.filter((address) => kernel.features.nodePortsOnLoopback || !isLoopback(address))
}

/** Returns the addresses of the node, without those of `kube-ipvs0` and without IPv6 link-local addresses. */
function ownAddressesOf({ addresses }: Plan['node']): readonly string[] {
  return addresses
    .filter(
      ({ interface: device, address }) => device !== IPVS_DEVICE && !(address.includes(':') && isLinkLocal(address)),
    )
    .map(({ address }) => address)
}

/** Reports whether the node accepts packets to an address. */
export function isLocal(plan: Plan, address: string): boolean {
  return isNodeAddress(plan.node, address) || isBound(plan, address)
}

/**
 * Reports whether `kube-ipvs0` has the address. Since 1.28, `kube-ipvs0` does not get addresses that another interface of
 * the node has, except for cluster IPs.
 */
export function isBound({ services, node, kernel }: Plan, address: string): boolean {
  const isAlwaysBound = kernel.features.ownAddressesBound || !ownAddressesOf(node).includes(address)
  return services.some(({ frontends }) =>
    frontends.some((each) => each.address === address && (isAlwaysBound || each.kind === 'clusterIP')),
  )
}

/** Returns the frontends with this address and port. Node ports have no address. */
export function findFrontendsAt(
  { services }: Plan,
  { protocol }: Packet,
  { address, port }: Place,
): readonly Frontend[] {
  return services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap(({ frontends }) => frontends.filter((each) => each.address === address && each.port === port))
}

export function preservesClientIP(frontend: Frontend): boolean {
  return frontend.preservesClientIP === true
}
