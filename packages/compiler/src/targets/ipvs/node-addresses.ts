import { IPVS_DEVICE, isLinkLocal, isLoopback } from '@kube-rules/types'
import type { NodeInterfaceAddress } from '../../model/node/interface-addresses.js'
import type { PlanHeader } from '../../plan/plan.js'

/**
 * Returns the addresses of the node apart from those of Services. Mirrors `GetAllLocalAddressesExcept` of kube-proxy
 * v1.30.
 */
export function ownAddresses({ node }: PlanHeader): readonly string[] {
  return node.addresses.filter(isOwn).map(({ address }) => address)
}

/** Returns the addresses with a virtual server for each node port, without loopback addresses. */
export function nodePortAddresses(frame: PlanHeader): readonly string[] {
  const { all, addresses } = frame.nodePorts
  return all ? ownAddresses(frame) : addresses.filter((address) => !isLoopback(address))
}

/** Reports whether the plan serves node ports at an address without virtual servers for them. */
export function losesNodePortAddress(frame: PlanHeader): boolean {
  const { all, addresses } = frame.nodePorts
  if (frame.localhostNodePorts && (all || addresses.some(isLoopback))) return true
  const reachable = frame.node.addresses.filter(({ address }) => !isLoopback(address))
  return all && ownAddresses(frame).length < reachable.length
}

function isOwn({ interface: device, address }: NodeInterfaceAddress): boolean {
  return device !== IPVS_DEVICE && !isLoopback(address) && !(address.includes(':') && isLinkLocal(address))
}
