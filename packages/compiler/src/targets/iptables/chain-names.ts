import { createPrefixedHash } from '../../internal/hash.js'
import { mapList } from '../../internal/map-list.js'
import type { ServicePortId } from '../../model/services/service-port.js'

export const SERVICES_CHAIN = 'KUBE-SERVICES'
export const EXTERNAL_SERVICES_CHAIN = 'KUBE-EXTERNAL-SERVICES'
export const NODE_PORTS_CHAIN = 'KUBE-NODEPORTS'
export const PROXY_FIREWALL_CHAIN = 'KUBE-PROXY-FIREWALL'

/** The chains of one service port; the plan determines which of them exist. */
export interface ServicePortChains {
  /** KUBE-SVC: balances over the endpoints of the whole cluster. */
  readonly cluster: string
  /** KUBE-SVL: balances over the endpoints on this node. */
  readonly local: string
  /** KUBE-EXT: handles packets to external destinations. */
  readonly external: string
  /** KUBE-FW: checks the sources of packets to load-balancer IPs. */
  readonly firewall: string
}

/**
 * Returns the chains of a service port. Mirrors `servicePortPolicyClusterChain` and its siblings of kube-proxy v1.30: a
 * hash of name and protocol.
 */
export function servicePortChainsOf(id: ServicePortId): ServicePortChains {
  return siblingChainsOf(clusterChain(hashInput(id)))
}

const CLUSTER = 'KUBE-SVC-'
const clusterChain = createPrefixedHash(CLUSTER, 16)
const endpointChain = createPrefixedHash('KUBE-SEP-', 16)

/** Returns all chains of the service port with this chain; their names have the same suffix. */
export function siblingChainsOf(chain: string): ServicePortChains {
  const hash = chain.slice(chain.lastIndexOf('-') + 1)
  return {
    cluster: chain.startsWith(CLUSTER) ? chain : CLUSTER + hash,
    local: `KUBE-SVL-${hash}`,
    external: `KUBE-EXT-${hash}`,
    firewall: `KUBE-FW-${hash}`,
  }
}

/** Returns the chains of endpoints, in order. Mirrors `servicePortEndpointChainName` of kube-proxy v1.30. */
export function listEndpointChainNames(
  id: ServicePortId,
  endpoints: readonly { readonly text: string }[],
): readonly string[] {
  const input = hashInput(id)
  return mapList(endpoints, ({ text }) => endpointChain(input + text))
}

/** Returns the hash input: a plain concatenation without separators, because the names on every node depend on it. */
function hashInput(id: ServicePortId): string {
  return id.text + id.protocol.toLowerCase()
}
