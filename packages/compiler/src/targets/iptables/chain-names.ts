import { prefixedHash } from '../../internal/hash.js'
import { mapList } from '../../internal/map-list.js'
import type { ServicePortId } from '../../model/services/service-port.js'

export const SERVICES_CHAIN = 'KUBE-SERVICES'
export const EXTERNAL_SERVICES_CHAIN = 'KUBE-EXTERNAL-SERVICES'
export const NODE_PORTS_CHAIN = 'KUBE-NODEPORTS'
export const PROXY_FIREWALL_CHAIN = 'KUBE-PROXY-FIREWALL'

/** The chains of one service port; which of them exist is the plan's business. */
export interface ServicePortChains {
  /** KUBE-SVC: one of the endpoints of the whole cluster. */
  readonly cluster: string
  /** KUBE-SVL: one of the endpoints on this node. */
  readonly local: string
  /** KUBE-EXT: what comes to external destinations. */
  readonly external: string
  /** KUBE-FW: which sources may come to load-balancer IPs. */
  readonly firewall: string
}

/** Mirrors `servicePortPolicyClusterChain` and its siblings of kube-proxy v1.30: a hash of name and protocol. */
export function servicePortChains(id: ServicePortId): ServicePortChains {
  return siblingsOf(clusterChain(hashInput(id)))
}

const CLUSTER = 'KUBE-SVC-'
const clusterChain = prefixedHash(CLUSTER, 16)
const endpointChain = prefixedHash('KUBE-SEP-', 16)

/** All chains of the service port that has this one: their names end alike. */
export function siblingsOf(chain: string): ServicePortChains {
  const hash = chain.slice(chain.lastIndexOf('-') + 1)
  return {
    cluster: chain.startsWith(CLUSTER) ? chain : CLUSTER + hash,
    local: `KUBE-SVL-${hash}`,
    external: `KUBE-EXT-${hash}`,
    firewall: `KUBE-FW-${hash}`,
  }
}

/** Mirrors `servicePortEndpointChainName` of kube-proxy v1.30, for one endpoint after the other. */
export function endpointChains(id: ServicePortId, endpoints: readonly { readonly text: string }[]): readonly string[] {
  const input = hashInput(id)
  return mapList(endpoints, ({ text }) => endpointChain(input + text))
}

/** Plain concatenation without separators: the names on every node depend on it. */
function hashInput(id: ServicePortId): string {
  return id.text + id.protocol.toLowerCase()
}
