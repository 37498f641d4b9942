/**
 * Properties of the machine that affect the rules. The library does not read these properties; the caller provides
 * them.
 */
export interface HostFacts {
  /** The node's network interfaces. Default: the addresses of the Node object. */
  readonly interfaces?: readonly NetworkInterface[] | undefined
  /**
   * Whether iptables supports `MASQUERADE --random-fully` (1.6.2 and newer). Default: true. kube-proxy 1.37 does not
   * check this.
   */
  readonly iptablesRandomFully?: boolean | undefined
  /** Whether the sysctl `net.netfilter.nf_conntrack_tcp_be_liberal` is on. Default: `conntrack.tcpBeLiberal`. */
  readonly conntrackTcpBeLiberal?: boolean | undefined
  /** Whether the nfacct counters of kube-proxy exist (`nfacct add …`) and the kernel has xt_nfacct. Default false. */
  readonly nfacctCounters?: boolean | undefined
  /**
   * The local ports of kube-proxy for service ports, by name (`default/web:http`; `default/web` for a port without a
   * name). Used only in userspace mode. Default: free ports, see `compile`.
   */
  readonly proxyPorts?: Readonly<Record<string, number>> | undefined
  /**
   * The node address that locally generated packets are redirected to. Used only in userspace mode. Default: the first
   * interface address that is neither loopback nor link-local.
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
