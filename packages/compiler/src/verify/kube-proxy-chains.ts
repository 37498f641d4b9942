import { isSharedWithKubelet } from '../targets/iptables/chain-names.js'
import {
  FILTER_CHAINS as IPTABLES_FILTER_CHAINS,
  NAT_CHAINS as IPTABLES_NAT_CHAINS,
} from '../targets/iptables/fixed-rules.js'
import { isServicePortChainOfAnyAge } from '../targets/iptables/rule-owner.js'
import { FILTER_CHAINS as IPVS_FILTER_CHAINS } from '../targets/ipvs/filter-rules.js'
import { NAT_CHAINS as IPVS_NAT_CHAINS } from '../targets/ipvs/nat-rules.js'

/**
 * The chains, beside those of service ports, that some version of kube-proxy made in some mode: what a node may have left
 * over. KUBE-FIREWALL and KUBE-MARK-DROP are the kubelet's, KUBE-PROXY-CANARY says that kube-proxy is there; they are not
 * among them, and neither are chains of other programs (KUBE-ROUTER-INPUT, KUBE-HOSTPORTS).
 */
const CHAINS: ReadonlySet<string> = new Set([
  ...IPTABLES_FILTER_CHAINS,
  ...IPTABLES_NAT_CHAINS,
  ...IPVS_FILTER_CHAINS,
  ...IPVS_NAT_CHAINS,
  // Older modes and versions.
  'KUBE-FIRE-WALL',
  'KUBE-PORTALS-CONTAINER',
  'KUBE-PORTALS-HOST',
  'KUBE-NODEPORT-CONTAINER',
  'KUBE-NODEPORT-HOST',
  'KUBE-NODEPORT-NON-LOCAL',
])

/** Chains that other parts of Kubernetes make, or kube-proxy to be seen by: nothing is to be said of them. */
const EXPECTED_CHAINS: ReadonlySet<string> = new Set([
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
  return chain.startsWith('KUBE-') && !isKubeProxyChain(chain) && !isExpectedChain(chain)
}

function isExpectedChain(chain: string): boolean {
  return isSharedWithKubelet(chain) || EXPECTED_CHAINS.has(chain)
}
