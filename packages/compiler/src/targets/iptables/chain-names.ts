import { hash16 } from '../../internal/hash.js'
import type { ServicePortId } from '../../model/model.js'

export const SERVICES_CHAIN = 'KUBE-SERVICES'
export const EXTERNAL_SERVICES_CHAIN = 'KUBE-EXTERNAL-SERVICES'
export const NODE_PORTS_CHAIN = 'KUBE-NODEPORTS'
export const PROXY_FIREWALL_CHAIN = 'KUBE-PROXY-FIREWALL'
export const LOCALNET_FIREWALL_CHAIN = 'KUBE-FIREWALL'

/**
 * Whether the kubelet keeps the chain, too: it makes KUBE-FIREWALL, jumps there from INPUT and OUTPUT, and has rules of its
 * own in it. So what else is in the chain stays, the jumps have no order among those of kube-proxy, and neither goes with it.
 */
export function isSharedWithKubelet(chain: string): boolean {
  return chain === LOCALNET_FIREWALL_CHAIN
}

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
  return endpoints.map(({ text }) => `KUBE-SEP-${hash16(input + text)}`)
}

/** Whether a chain is one that belongs to a service port. Mirrors `isServiceChainName` of kube-proxy v1.30. */
export function isServicePortChain(chain: string): boolean {
  return /^KUBE-(?:SVC|SVL|EXT|FW|SEP)-/.test(chain)
}

/** Plain concatenation without separators: the names on every node depend on it. */
function hashInput(id: ServicePortId): string {
  return id.text + id.protocol.toLowerCase()
}
