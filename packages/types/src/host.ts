/** What the rules depend on of the machine itself. The library reads nothing; the caller says what is there. */
export interface Host {
  /** The node's network interfaces. Without them the addresses of the Node object stand in. */
  readonly interfaces?: readonly NetworkInterface[] | undefined
  /** Whether iptables knows `MASQUERADE --random-fully` (1.6.2 and newer). Default true; kube-proxy 1.37 does not ask. */
  readonly iptablesRandomFully?: boolean | undefined
  /** Whether the sysctl `net.netfilter.nf_conntrack_tcp_be_liberal` is on. Default: `conntrack.tcpBeLiberal`. */
  readonly conntrackTcpBeLiberal?: boolean | undefined
  /** Whether the nfacct counters of kube-proxy exist (`nfacct add …`) and the kernel has xt_nfacct. Default false. */
  readonly nfacctCounters?: boolean | undefined
  /**
   * Mode userspace: the ports on which kube-proxy listens for service ports, by their names (`default/web:http`,
   * `default/web` for a port without name). Default: free ones, see `compile`.
   */
  readonly proxyPorts?: Readonly<Record<string, number>> | undefined
  /**
   * Mode userspace: the address of the node to which its own packets are sent. Default: the first address of the interfaces
   * that is neither loopback nor link-local.
   */
  readonly hostIP?: string | undefined
}

export interface NetworkInterface {
  readonly name: string
  /** Addresses with their prefix length, for example `192.168.0.2/24`. */
  readonly addresses: readonly string[]
}
