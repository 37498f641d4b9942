import { formatChainId, parseChainId } from '../../dataplane/iptables/resources.js'

/** The firewall chain of the kubelet, which kube-proxy adds a rule to. */
export const LOCALNET_FIREWALL_CHAIN = 'KUBE-FIREWALL'

/**
 * The chain of the kubelet that marks packets to drop, which KUBE-FIREWALL then drops. kube-proxy jumped to it until
 * 1.24.
 */
export const MARK_DROP_CHAIN = 'KUBE-MARK-DROP'

/**
 * Reports whether the kubelet also owns the chain. It creates KUBE-FIREWALL, jumps to it from INPUT and OUTPUT, and
 * adds its own rules. Therefore foreign rules in the chain are preserved, its jumps may have any position among those
 * of kube-proxy, and neither the chain nor its jumps are removed with the mode.
 */
export function isSharedWithKubelet(chain: string): boolean {
  return chain === LOCALNET_FIREWALL_CHAIN
}

const SHARED_CHAINS: ReadonlySet<string> = new Set([
  formatChainId('filter', LOCALNET_FIREWALL_CHAIN),
  formatChainId('nat', MARK_DROP_CHAIN),
])

/**
 * Reports whether the kubelet also owns the chain with that id (`filter/KUBE-FIREWALL`). Mode ipvs until 1.24 has
 * another chain with that name in nat.
 */
export function isSharedChain(id: string): boolean {
  return SHARED_CHAINS.has(id)
}

/**
 * Reports whether the id belongs to KUBE-MARK-DROP. kube-proxy never removes this chain, because even versions that do
 * not create it have rules that jump to it.
 */
export function isMarkDropChain(id: string): boolean {
  return id === formatChainId('nat', MARK_DROP_CHAIN)
}

/** Reports whether a chain belongs to a service port. Mirrors `isServiceChainName` of kube-proxy v1.30. */
export function isServicePortChain(chain: string): boolean {
  return /^KUBE-(?:SVC|SVL|EXT|FW|SEP)-/.test(chain)
}

/** Reports whether a chain belongs to a service port, in any version of kube-proxy. */
export function isServicePortChainOfAnyVersion(chain: string): boolean {
  return isServicePortChain(chain) || chain.startsWith('KUBE-XLB-')
}

/** Reports whether the rules of a chain redirect to the process of mode userspace. */
export function isProxyChain(chain: string): boolean {
  return /^KUBE-(?:PORTALS|NODEPORT)-(?:CONTAINER|HOST)$/.test(chain)
}

/** Chains that only the kubelet creates. It created some of them for years after kube-proxy had stopped creating them. */
const KUBELET_CHAINS: ReadonlySet<string> = new Set([MARK_DROP_CHAIN, 'KUBE-KUBELET-CANARY', 'KUBE-IPTABLES-HINT'])

/** Reports whether the id belongs to a chain that only a kubelet creates. */
export function isKubeletChain(id: string): boolean {
  return KUBELET_CHAINS.has(parseChainId(id).chain)
}

/** The chain that kube-proxy uses for detecting flushed tables; not reported. */
const PROXY_CANARY = 'KUBE-PROXY-CANARY'

/**
 * Reports whether a name starts with KUBE- but is neither a shared chain nor a canary. Other programs, such as the
 * kubelet, also use such names: KUBE-ROUTER-INPUT, KUBE-HOSTPORTS.
 */
export function hasKubeProxyName(chain: string): boolean {
  return chain.startsWith('KUBE-') && !isSharedWithKubelet(chain) && chain !== PROXY_CANARY
}
