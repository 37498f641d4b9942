import { formatChainId, parseChainId } from '../../dataplane/iptables/resources.js'

/** The firewall chain of the kubelet. kube-proxy adds a rule to this chain. */
export const LOCALNET_FIREWALL_CHAIN = 'KUBE-FIREWALL'

/**
 * The chain of the kubelet that marks packets for dropping. KUBE-FIREWALL then drops these packets. kube-proxy jumps to
 * KUBE-MARK-DROP up to 1.24.
 */
export const MARK_DROP_CHAIN = 'KUBE-MARK-DROP'

/**
 * Reports whether the kubelet also owns the chain. The kubelet creates KUBE-FIREWALL, jumps from INPUT and OUTPUT to
 * this chain, and its own rules in the chain. Therefore, foreign rules in the chain are preserved. The jumps of the
 * kubelet may have any position among the jumps of kube-proxy. When the mode is removed, neither the chain nor the
 * jumps to it are removed.
 */
export function isSharedWithKubelet(chain: string): boolean {
  return chain === LOCALNET_FIREWALL_CHAIN
}

const SHARED_CHAINS: ReadonlySet<string> = new Set([
  formatChainId('filter', LOCALNET_FIREWALL_CHAIN),
  formatChainId('nat', MARK_DROP_CHAIN),
])

/**
 * Reports whether the kubelet also owns the chain with this id (`filter/KUBE-FIREWALL`). Up to 1.24, ipvs mode has a
 * different chain named KUBE-FIREWALL in the nat table.
 */
export function isSharedChain(id: string): boolean {
  return SHARED_CHAINS.has(id)
}

/**
 * Reports whether the id is the id of KUBE-MARK-DROP. kube-proxy never removes this chain, because even versions that
 * do not create the chain have rules that jump to it.
 */
export function isMarkDropChain(id: string): boolean {
  return id === formatChainId('nat', MARK_DROP_CHAIN)
}

/** The kind of a chain of a service port, as in its name: kube-proxy up to 1.23 writes XLB, and newer versions EXT and SVL. */
type ServicePortChainKind = 'SVC' | 'SVL' | 'EXT' | 'FW' | 'XLB' | 'SEP'

/** Returns the kind of a chain of a service port, in any version of kube-proxy; undefined for any other chain. */
export function kindOfServicePortChain(chain: string): ServicePortChainKind | undefined {
  return /^KUBE-(SVC|SVL|EXT|FW|XLB|SEP)-/.exec(chain)?.[1] as ServicePortChainKind | undefined
}

/** Reports whether a chain belongs to a service port. Mirrors `isServiceChainName` of kube-proxy v1.30. */
export function isServicePortChain(chain: string): boolean {
  const kind = kindOfServicePortChain(chain)
  return kind !== undefined && kind !== 'XLB'
}

/** Reports whether a chain belongs to a service port, in any version of kube-proxy. */
export function isServicePortChainOfAnyVersion(chain: string): boolean {
  return kindOfServicePortChain(chain) !== undefined
}

/** Reports whether a chain sends packets to an endpoint. */
export function isEndpointChain(chain: string): boolean {
  return kindOfServicePortChain(chain) === 'SEP'
}

/** Reports whether rules of KUBE-SERVICES and KUBE-NODEPORTS may send packets to a chain, in any version of kube-proxy. */
export function isDispatchChain(chain: string): boolean {
  return isServicePortChainOfAnyVersion(chain) && !isEndpointChain(chain)
}

/** Reports whether the rules of a chain redirect packets to the userspace proxy. */
export function isUserspaceProxyChain(chain: string): boolean {
  return /^KUBE-(?:PORTALS|NODEPORT)-(?:CONTAINER|HOST)$/.test(chain)
}

/**
 * The chains that only the kubelet creates, at least in newer versions. The kubelet still created some of these chains
 * for years after kube-proxy had stopped creating them.
 */
const KUBELET_CHAINS: ReadonlySet<string> = new Set([MARK_DROP_CHAIN, 'KUBE-KUBELET-CANARY', 'KUBE-IPTABLES-HINT'])

/** Reports whether the id belongs to a chain that only a kubelet creates. */
export function isKubeletChain(id: string): boolean {
  return KUBELET_CHAINS.has(parseChainId(id).chain)
}

/** The chain that kube-proxy uses to detect that tables were flushed. This chain is never reported as unexpected. */
export const PROXY_CANARY_CHAIN = 'KUBE-PROXY-CANARY'

/**
 * Reports whether a chain name starts with KUBE-, but is neither a shared chain nor a canary. Other programs, such as
 * the kubelet, also use such names: KUBE-ROUTER-INPUT, KUBE-HOSTPORTS.
 */
export function hasKubeProxyName(chain: string): boolean {
  return chain.startsWith('KUBE-') && !isSharedWithKubelet(chain) && chain !== PROXY_CANARY_CHAIN
}
