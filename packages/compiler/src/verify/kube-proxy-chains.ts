import { isServicePortChainOfAnyAge } from '../targets/iptables/rule-owner.js'

/**
 * The chains, beside those of service ports, that some version of kube-proxy made in some mode: what a node may have left
 * over. KUBE-FIREWALL and KUBE-MARK-DROP are the kubelet's, KUBE-PROXY-CANARY says that kube-proxy is there; they are not
 * among them, and neither are chains of other programs (KUBE-ROUTER-INPUT, KUBE-HOSTPORTS).
 */
const CHAINS: ReadonlySet<string> = new Set([
  'KUBE-SERVICES',
  'KUBE-EXTERNAL-SERVICES',
  'KUBE-FORWARD',
  'KUBE-NODEPORTS',
  'KUBE-PROXY-FIREWALL',
  'KUBE-POSTROUTING',
  'KUBE-MARK-MASQ',
  // ipvs
  'KUBE-NODE-PORT',
  'KUBE-LOAD-BALANCER',
  'KUBE-SOURCE-RANGES-FIREWALL',
  'KUBE-IPVS-FILTER',
  'KUBE-IPVS-OUT-FILTER',
  'KUBE-FIRE-WALL',
  // userspace
  'KUBE-PORTALS-CONTAINER',
  'KUBE-PORTALS-HOST',
  'KUBE-NODEPORT-CONTAINER',
  'KUBE-NODEPORT-HOST',
  'KUBE-NODEPORT-NON-LOCAL',
])

/** Chains that other parts of Kubernetes make, or kube-proxy to be seen by: nothing is to be said of them. */
const EXPECTED_CHAINS: ReadonlySet<string> = new Set([
  'KUBE-FIREWALL',
  'KUBE-MARK-DROP',
  'KUBE-PROXY-CANARY',
  'KUBE-KUBELET-CANARY',
  'KUBE-IPTABLES-HINT',
])

/** Whether kube-proxy, of any version and in any mode, makes a chain of this name and nobody else does. */
export function isKubeProxyChain(chain: string): boolean {
  return CHAINS.has(chain) || isServicePortChainOfAnyAge(chain)
}

/** Whether the name begins with KUBE- but is that of no chain that is known. */
export function isOtherKubeChain(chain: string): boolean {
  return chain.startsWith('KUBE-') && !isKubeProxyChain(chain) && !EXPECTED_CHAINS.has(chain)
}
