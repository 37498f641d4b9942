/** The chain that redirects packets from pods and from outside to the addresses of service ports. */
export const PORTALS_CONTAINER_CHAIN = 'KUBE-PORTALS-CONTAINER'
/** Handles locally generated packets. */
export const PORTALS_HOST_CHAIN = 'KUBE-PORTALS-HOST'
/** The chain that redirects packets from pods and from outside to node ports. */
export const NODE_PORT_CONTAINER_CHAIN = 'KUBE-NODEPORT-CONTAINER'
/** Handles locally generated packets. */
export const NODE_PORT_HOST_CHAIN = 'KUBE-NODEPORT-HOST'
/** The chain that accepts packets to a node port on their way to the userspace proxy. */
export const NODE_PORT_NON_LOCAL_CHAIN = 'KUBE-NODEPORT-NON-LOCAL'

/** The chains of the nat table, in creation order. */
export const NAT_CHAINS: readonly string[] = [
  PORTALS_CONTAINER_CHAIN,
  PORTALS_HOST_CHAIN,
  NODE_PORT_CONTAINER_CHAIN,
  NODE_PORT_HOST_CHAIN,
]

export const FILTER_CHAINS: readonly string[] = [NODE_PORT_NON_LOCAL_CHAIN]

export function isUserspaceChain(chain: string): boolean {
  return NAT_CHAINS.includes(chain) || FILTER_CHAINS.includes(chain)
}
