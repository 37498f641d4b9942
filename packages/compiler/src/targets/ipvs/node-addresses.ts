import { isLinkLocal, isLoopback } from '@kube-rules/types'
import type { NodeInterfaceAddress } from '../../model/model.js'
import type { Plan } from '../../plan/plan.js'

/** The device that carries the addresses of Services. */
export const IPVS_DEVICE = 'kube-ipvs0'

/** The node's addresses apart from those of Services. Mirrors `GetAllLocalAddressesExcept` of kube-proxy v1.30. */
export function ownAddresses({ node }: Plan): readonly string[] {
  return node.addresses.filter(isOwn).map(({ address }) => address)
}

/** The addresses under which each node port has a virtual server: never a loopback address. */
export function nodePortAddresses(plan: Plan): readonly string[] {
  const { all, addresses } = plan.nodePorts
  return all ? ownAddresses(plan) : addresses.filter((address) => !isLoopback(address))
}

function isOwn({ interface: device, address }: NodeInterfaceAddress): boolean {
  return device !== IPVS_DEVICE && !isLoopback(address) && !(address.includes(':') && isLinkLocal(address))
}
