import type { Cidr, IpFamily, Protocol } from '@kube-rules/types'
import type { Features } from './features.js'

/** What exists, for one address family: everything later stages may know of Kubernetes. */
export interface Model {
  readonly family: IpFamily
  readonly node: NodeFacts
  readonly settings: Settings
  /** In code-unit order of `id.text`, then protocol. */
  readonly servicePorts: readonly ServicePort[]
}

/** The identity of a service port. `text` is `namespace/name`, and `:port` where the port has a name. */
export interface ServicePortId {
  readonly namespace: string
  readonly name: string
  readonly portName: string
  readonly protocol: Protocol
  readonly text: string
}

/** One port of one Service as one family sees it. Mirrors `BaseServicePortInfo` of kube-proxy v1.30. */
export interface ServicePort {
  readonly id: ServicePortId
  readonly clusterIP: string
  readonly port: number
  /** 0 where there is none. */
  readonly nodePort: number
  readonly externalIPs: readonly string[]
  readonly loadBalancerIPs: readonly string[]
  /** Empty means that every source is accepted. */
  readonly sourceRanges: readonly Cidr[]
  /** Seconds of ClientIP affinity; absent without affinity. */
  readonly affinitySeconds?: number | undefined
  readonly internalPolicyLocal: boolean
  /** Already gated by the Service's type. */
  readonly externalPolicyLocal: boolean
  /** 0 where there is none; already gated by type and policy. */
  readonly healthCheckNodePort: number
  /** Whether topology hints may be used for this Service at all. */
  readonly topologyHints: boolean
  /** Every known endpoint, ready or not, in the byte order of `text`. */
  readonly endpoints: readonly Endpoint[]
}

export interface Endpoint {
  readonly ip: string
  readonly port: number
  /** `ip:port`, or `[ip]:port` for IPv6. */
  readonly text: string
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  /** Whether it runs on this node. */
  readonly local: boolean
  /** Names of zones this endpoint is hinted for. */
  readonly zoneHints: readonly string[]
  /** Names of nodes this endpoint is hinted for. */
  readonly nodeHints: readonly string[]
}

/** The node the rules are for. */
export interface NodeFacts {
  /** Empty where no node is known; no endpoint is local then. */
  readonly name: string
  /** The value of `topology.kubernetes.io/zone`, or empty. */
  readonly zone: string
  /** The node's own IP of this family, as source ranges are compared with. */
  readonly ip: string
  /** Every address of this family on the node's interfaces, canonical, sorted, each once. */
  readonly addresses: readonly NodeInterfaceAddress[]
  readonly nodePorts: NodePortAddresses
  /** How traffic of this node's pods is told from other traffic; absent where that is not possible. */
  readonly podTraffic?: PodTraffic | undefined
}

export interface NodeInterfaceAddress {
  readonly interface: string
  readonly address: string
}

/** Mirrors `NodePortAddresses` of kube-proxy v1.30. */
export interface NodePortAddresses {
  /** Node ports are served on every local address. */
  readonly all: boolean
  /** Otherwise: the addresses that serve node ports, sorted. Empty where `all`. */
  readonly addresses: readonly string[]
  /** Whether 127.0.0.0/8 was selected (IPv4 only; true where `all`). */
  readonly containsLoopback: boolean
}

/** Mirrors the `LocalTrafficDetector` of kube-proxy v1.30. */
export type PodTraffic =
  | { readonly by: 'cidr'; readonly cidr: Cidr }
  | { readonly by: 'interface'; readonly interface: string }
  | { readonly by: 'interfacePrefix'; readonly prefix: string }

export type ProxyMode = 'iptables' | 'ipvs' | 'nftables'

/** The effective configuration, as far as rules depend on it: defaults filled in, versions decided, family split. */
export interface Settings {
  readonly mode: ProxyMode
  readonly features: Features
  /** Masquerade everything sent to cluster IPs. */
  readonly masqueradeAll: boolean
  /** The mark's value, `1 << masqueradeBit`, from 1 to 0x80000000. */
  readonly masqueradeMark: number
  /** Effective: asked for, IPv4, and 127.0.0.0/8 among the node-port addresses. */
  readonly localhostNodePorts: boolean
  readonly randomFully: boolean
  readonly conntrackTcpBeLiberal: boolean
  /** Effective: supported by the version and present on the host. */
  readonly nfacctCounters: boolean
  readonly ipvs: IpvsSettings
}

export interface IpvsSettings {
  /** Empty means the default, `rr`. */
  readonly scheduler: string
  readonly excludeCidrs: readonly Cidr[]
  readonly strictArp: boolean
  /** Whole milliseconds; 0 leaves the kernel's value. */
  readonly tcpTimeoutMs: number
  readonly tcpFinTimeoutMs: number
  readonly udpTimeoutMs: number
}
