import { chainOfId } from '../../dataplane/iptables/resources.js'

/** The kubelet's firewall, to which kube-proxy adds a rule of its own. */
export const LOCALNET_FIREWALL_CHAIN = 'KUBE-FIREWALL'

/**
 * Whether the kubelet keeps the chain, too: it makes KUBE-FIREWALL, jumps there from INPUT and OUTPUT, and has rules of its
 * own in it. So what else is in the chain stays, the jumps have no order among those of kube-proxy, and neither goes with it.
 */
export function isSharedWithKubelet(chain: string): boolean {
  return chain === LOCALNET_FIREWALL_CHAIN
}

/** Whether a chain is one that belongs to a service port. Mirrors `isServiceChainName` of kube-proxy v1.30. */
export function isServicePortChain(chain: string): boolean {
  return /^KUBE-(?:SVC|SVL|EXT|FW|SEP)-/.test(chain)
}

/** Whether a chain is of one service port, in any version of kube-proxy. */
export function isServicePortChainOfAnyAge(chain: string): boolean {
  return isServicePortChain(chain) || chain.startsWith('KUBE-XLB-')
}

/** Whether the rules of a chain lead to the process of mode userspace. */
export function isProxyChain(chain: string): boolean {
  return /^KUBE-(?:PORTALS|NODEPORT)-(?:CONTAINER|HOST)$/.test(chain)
}

/** Chains that the kubelet makes and kube-proxy does not; of some it went on for years after kube-proxy had stopped. */
const KUBELET_CHAINS: ReadonlySet<string> = new Set(['KUBE-MARK-DROP', 'KUBE-KUBELET-CANARY', 'KUBE-IPTABLES-HINT'])

/** Whether the id is that of a chain that only a kubelet makes. */
export function isKubeletChain(id: string): boolean {
  return KUBELET_CHAINS.has(chainOfId(id).chain)
}

/** What kube-proxy makes to be seen by: nothing is to be said of it. */
const PROXY_CANARY = 'KUBE-PROXY-CANARY'

/**
 * Whether the name begins with KUBE-, but is that of no chain that kube-proxy is seen by, or of which it has a part. Other
 * programs have such names, too: KUBE-ROUTER-INPUT, KUBE-HOSTPORTS, and the kubelet's.
 */
export function looksLikeKubeProxy(chain: string): boolean {
  return chain.startsWith('KUBE-') && !isSharedWithKubelet(chain) && chain !== PROXY_CANARY
}
