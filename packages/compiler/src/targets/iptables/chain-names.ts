import { createPrefixedHash } from '../../internal/hash.js'
import { mapList } from '../../internal/map-list.js'
import type { ServicePortId } from '../../model/services/service-port.js'

export const SERVICES_CHAIN = 'KUBE-SERVICES'
export const EXTERNAL_SERVICES_CHAIN = 'KUBE-EXTERNAL-SERVICES'
export const NODE_PORTS_CHAIN = 'KUBE-NODEPORTS'
export const PROXY_FIREWALL_CHAIN = 'KUBE-PROXY-FIREWALL'

/** The names of the chains of one service port. The plan determines which of these chains exist. */
export interface ServicePortChains {
  /** KUBE-SVC: balances connections over the endpoints of the whole cluster. */
  readonly cluster: string
  /** KUBE-SVL: balances connections over the endpoints on this node. */
  readonly local: string
  /** KUBE-EXT: handles packets to external destinations. */
  readonly external: string
  /** KUBE-FW: checks the sources of packets to load-balancer IPs. */
  readonly firewall: string
}

/**
 * Returns the chains of a service port. Their names contain a hash of the name and the protocol of the service port.
 * Mirrors `servicePortPolicyClusterChain` and its sibling functions of kube-proxy v1.30.
 */
export function servicePortChainsOf(id: ServicePortId): ServicePortChains {
  return siblingChainsOf(clusterChain(hashInput(id)))
}

const CLUSTER = 'KUBE-SVC-'
const clusterChain = createPrefixedHash(CLUSTER, 16)
const endpointChain = createPrefixedHash('KUBE-SEP-', 16)

/**
 * Returns all chains of the service port that the given chain belongs to. The names of these chains have the same
 * suffix.
 */
export function siblingChainsOf(chain: string): ServicePortChains {
  const hash = chain.slice(chain.lastIndexOf('-') + 1)
  return {
    cluster: chain.startsWith(CLUSTER) ? chain : CLUSTER + hash,
    local: `KUBE-SVL-${hash}`,
    external: `KUBE-EXT-${hash}`,
    firewall: `KUBE-FW-${hash}`,
  }
}

/**
 * Returns the names of the KUBE-SEP chains of endpoints, in the order of the endpoints. Mirrors
 * `servicePortEndpointChainName` of kube-proxy v1.30.
 */
export function listEndpointChainNames(
  id: ServicePortId,
  endpoints: readonly { readonly text: string }[],
): readonly string[] {
  const input = hashInput(id)
  return mapList(endpoints, ({ text }) => endpointChain(input + text))
}

/**
 * Returns the input of the hash. The parts are concatenated without separators, because the hash must match the chain
 * names on existing nodes.
 */
function hashInput(id: ServicePortId): string {
  return id.text + id.protocol.toLowerCase()
}
