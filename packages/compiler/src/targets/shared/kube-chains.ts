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

/** Chains that the kubelet makes, or kube-proxy to be seen by: nothing is to be said of them. */
const EXPECTED_CHAINS: ReadonlySet<string> = new Set([
  'KUBE-MARK-DROP',
  'KUBE-PROXY-CANARY',
  'KUBE-KUBELET-CANARY',
  'KUBE-IPTABLES-HINT',
])

/**
 * Whether the name begins with KUBE-, but is that of no chain that the kubelet makes or kube-proxy is seen by. Other programs
 * have such names, too: KUBE-ROUTER-INPUT, KUBE-HOSTPORTS.
 */
export function looksLikeKubeProxy(chain: string): boolean {
  return chain.startsWith('KUBE-') && !isSharedWithKubelet(chain) && !EXPECTED_CHAINS.has(chain)
}
