import { hash16 } from '../../internal/hash.js'
import type { ServicePortId } from '../../services/service-port.js'

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
  const hash = hash16(hashInput(id))
  return {
    cluster: `KUBE-SVC-${hash}`,
    local: `KUBE-SVL-${hash}`,
    external: `KUBE-EXT-${hash}`,
    firewall: `KUBE-FW-${hash}`,
  }
}

/** Mirrors `servicePortEndpointChainName` of kube-proxy v1.30, for one endpoint after the other. */
export function endpointChains(id: ServicePortId, endpoints: readonly { readonly text: string }[]): readonly string[] {
  const input = hashInput(id)
  return endpoints.map(({ text }) => hash16(input + text, 'KUBE-SEP-'))
}

/** Plain concatenation without separators: the names on every node depend on it. */
function hashInput(id: ServicePortId): string {
  return id.text + id.protocol.toLowerCase()
}
