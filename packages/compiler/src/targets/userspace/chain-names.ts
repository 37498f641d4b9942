/** Where packets of pods and from outside are led to a service port by its addresses. */
export const PORTALS_CONTAINER_CHAIN = 'KUBE-PORTALS-CONTAINER'
/** The same of packets made on the node. */
export const PORTALS_HOST_CHAIN = 'KUBE-PORTALS-HOST'
/** Where packets of pods and from outside are led to a service port by its node port. */
export const NODE_PORT_CONTAINER_CHAIN = 'KUBE-NODEPORT-CONTAINER'
/** The same of packets made on the node. */
export const NODE_PORT_HOST_CHAIN = 'KUBE-NODEPORT-HOST'
/** Accepts what was for a node port, on its way to the process. */
export const NODE_PORT_NON_LOCAL_CHAIN = 'KUBE-NODEPORT-NON-LOCAL'

/** The chains of the nat table, in the order of their creation. */
export const NAT_CHAINS: readonly string[] = [
  PORTALS_CONTAINER_CHAIN,
  PORTALS_HOST_CHAIN,
  NODE_PORT_CONTAINER_CHAIN,
  NODE_PORT_HOST_CHAIN,
]

export const FILTER_CHAINS: readonly string[] = [NODE_PORT_NON_LOCAL_CHAIN]

const OWN_CHAINS: ReadonlySet<string> = new Set([...NAT_CHAINS, ...FILTER_CHAINS])

export function isUserspaceChain(chain: string): boolean {
  return OWN_CHAINS.has(chain)
}
