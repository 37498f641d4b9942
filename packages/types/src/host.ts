/** Properties of the machine that affect the rules. The library does not read them itself; the caller provides them. */
export interface HostFacts {
  /** The node's network interfaces. Default: the addresses of the Node object. */
  readonly interfaces?: readonly NetworkInterface[] | undefined
  /**
   * Whether iptables supports `MASQUERADE --random-fully` (1.6.2 and newer). Default true; kube-proxy 1.37 does not
   * check.
   */
  readonly iptablesRandomFully?: boolean | undefined
  /** Whether the sysctl `net.netfilter.nf_conntrack_tcp_be_liberal` is on. Default: `conntrack.tcpBeLiberal`. */
  readonly conntrackTcpBeLiberal?: boolean | undefined
  /** Whether the nfacct counters of kube-proxy exist (`nfacct add …`) and the kernel has xt_nfacct. Default false. */
  readonly nfacctCounters?: boolean | undefined
  /**
   * Mode userspace: the local ports of kube-proxy for service ports, by name (`default/web:http`, `default/web` for a
   * port without name). Default: free ports, see `compile`.
   */
  readonly proxyPorts?: Readonly<Record<string, number>> | undefined
  /**
   * Mode userspace: the node address that locally generated packets are redirected to. Default: the first interface
   * address that is neither loopback nor link-local.
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
