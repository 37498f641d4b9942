/**
 * Properties of the machine that affect the rules. The library does not read these properties; the caller provides
 * them.
 */
export interface HostFacts {
  /** The network interfaces of the node. If absent, the addresses of the Node object are used. */
  readonly interfaces?: readonly NetworkInterface[] | undefined
  /**
   * The addresses that the Node had when kube-proxy started: the internal addresses, then the external ones. kube-proxy
   * keeps them until it starts again. If absent, the addresses of the Node object are used. An empty list means a start
   * without addresses.
   */
  readonly nodeAddresses?: readonly string[] | undefined
  /**
   * The pod networks that the Node had when kube-proxy started, with `detectLocalMode: NodeCIDR`. If absent, the
   * networks of the Node object are used.
   */
  readonly podCIDRs?: readonly string[] | undefined
  /** The zone of a Node that does not exist any more. kube-proxy 1.35 and 1.36 keep it. Unused if the Node exists. */
  readonly zone?: string | undefined
  /**
   * Whether iptables supports `MASQUERADE --random-fully` (1.6.2 and newer). Default: true. kube-proxy 1.37 does not
   * check this.
   */
  readonly iptablesRandomFully?: boolean | undefined
  /**
   * Whether the sysctl `net.netfilter.nf_conntrack_tcp_be_liberal` is on. If absent, `conntrack.tcpBeLiberal` of the
   * configuration is used.
   */
  readonly conntrackTcpBeLiberal?: boolean | undefined
  /** Whether the nfacct counters of kube-proxy exist (`nfacct add …`) and the kernel has xt_nfacct. Default false. */
  readonly nfacctCounters?: boolean | undefined
  /**
   * The local ports of kube-proxy for service ports, by the name of the service port (`default/web:http`; `default/web`
   * for a port without a name). Used only in userspace mode. If absent, free ports are used, see `compile`.
   */
  readonly proxyPorts?: Readonly<Record<string, number>> | undefined
  /**
   * The node address that locally generated packets are redirected to. Used only in userspace mode. If absent, the
   * first interface address that is neither loopback nor link-local is used.
   */
  readonly hostIP?: string | undefined
}

/** A network interface of the node. */
export interface NetworkInterface {
  /** The name of the interface. */
  readonly name: string
  /** Addresses with their prefix length, for example `192.168.0.2/24`. */
  readonly addresses: readonly string[]
}
