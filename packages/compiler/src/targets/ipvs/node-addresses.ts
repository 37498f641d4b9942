import { isLinkLocal, isLoopback } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import type { NodeInterfaceAddress } from '../../model/node/interface-addresses.js'
import type { PlanHeader } from '../../plan/plan.js'

/**
 * Returns the addresses of the node without Service addresses. Mirrors `GetAllLocalAddressesExcept` of kube-proxy
 * v1.30.
 */
export function nonServiceAddressesOf({ node }: PlanHeader): readonly string[] {
  return node.addresses.filter((each) => isOwn(each) && !isLoopback(each.address)).map(({ address }) => address)
}

/**
 * Returns the addresses that have a virtual server for each node port. They include loopback addresses only in old
 * versions.
 */
export function nodePortAddressesOf({ node, nodePorts, kernel }: PlanHeader): readonly string[] {
  const { all, addresses } = nodePorts
  const used = all ? node.addresses.filter(isOwn).map(({ address }) => address) : addresses
  return used.filter((address) => kernel.features.nodePortsOnLoopback || !isLoopback(address))
}

/** Reports whether the plan serves node ports at an address without virtual servers for them. */
export function lacksNodePortAddress(frame: PlanHeader): boolean {
  const { all, addresses } = frame.nodePorts
  const { nodePortsOnLoopback } = frame.kernel.features
  if (frame.localhostNodePorts && !nodePortsOnLoopback && (all || addresses.some(isLoopback))) return true
  const reachable = frame.node.addresses.filter(({ address }) => !isLoopback(address))
  return all && nonServiceAddressesOf(frame).length < reachable.length
}

function isOwn({ interface: device, address }: NodeInterfaceAddress): boolean {
  return device !== IPVS_DEVICE && !(address.includes(':') && isLinkLocal(address))
}
