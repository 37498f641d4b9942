/** The virtual servers of one network namespace. The order of the virtual servers is not significant. */
export interface IpvsState {
  /** The virtual servers. */
  readonly virtualServers: readonly VirtualServer[]
  /**
   * The lines that define virtual services by firewall mark (`-A -f 1 -s rr`). The lines are unchanged, except that
   * words are separated by one space.
   */
  readonly unknownLines?: readonly string[] | undefined
  /**
   * The virtual servers by owner. `virtualServers` is the union of these virtual servers. Absent if the owners are
   * unknown.
   */
  readonly contributions?: readonly ServerContribution[] | undefined
}

/**
 * The virtual servers that one owner requires. If several owners require the same address, port and protocol, the first
 * owner in the list gets the virtual server.
 */
export interface ServerContribution {
  /** The owner as an opaque label. */
  readonly owner: string
  /** The virtual servers, excluding fallback servers. */
  readonly virtualServers: readonly VirtualServer[]
  /**
   * The fallback virtual servers. A fallback server is used only if no owner has a virtual server with the same
   * address, port and protocol in `virtualServers`.
   */
  readonly fallbackServers: readonly VirtualServer[]
}

/** A protocol that ipvs balances. */
export type VirtualServerProtocol = 'TCP' | 'UDP' | 'SCTP'

/** The protocols in the order of their protocol numbers. */
export const VIRTUAL_SERVER_PROTOCOLS: readonly VirtualServerProtocol[] = ['TCP', 'UDP', 'SCTP']

/** A virtual server: connections to its address and port are balanced over real servers. */
export interface VirtualServer {
  /** The address. */
  readonly address: string
  /** The port. 0 means every port and requires `FLAG_PERSISTENT`. */
  readonly port: number
  /** The protocol. */
  readonly protocol: VirtualServerProtocol
  /** The name of the scheduler, such as `rr`; see `SCHEDULERS`. */
  readonly scheduler: string
  /** The sum of `IP_VS_SVC_F_…` bits: 1 persistent, 2 hashed, 4 one packet; 8, 16 and 32 are scheduler flags. */
  readonly flags: number
  /** The persistence timeout of a client in seconds. Effective only with `FLAG_PERSISTENT`. */
  readonly timeout: number
  /**
   * The mask that groups clients, in ipvsadm notation: `255.255.255.0` for IPv4, or a prefix length such as `64` for
   * IPv6. Absent if every address is a separate client. Effective only with `FLAG_PERSISTENT`.
   */
  readonly netmask?: string | undefined
  /** The name of a persistence engine (`sip`). */
  readonly persistenceEngine?: string | undefined
  /** The real servers, in the order of creation. */
  readonly realServers: readonly RealServer[]
}

/** A virtual server without its real servers. */
export type VirtualServerDefinition = Omit<VirtualServer, 'realServers'>

/** The unique key of a virtual server. */
export type VirtualServerKey = Pick<VirtualServer, 'address' | 'port' | 'protocol'>

/** The method that forwards packets to a real server: NAT, routing or a tunnel. */
export type ForwardingMethod = 'masquerade' | 'route' | 'tunnel'

/** A destination of a virtual server. */
export interface RealServer {
  /** The address. */
  readonly address: string
  /** The port. With `route` and `tunnel`, the kernel uses the port of the virtual server instead. */
  readonly port: number
  /** How packets reach it. */
  readonly forwarding: ForwardingMethod
  /** The weight. A real server with weight 0 gets no new connections. */
  readonly weight: number
  /**
   * Further ipvsadm options of the real server, for connection thresholds and the kind of tunnel: `['-x', '100',
   * '--tun-type', 'gue', '--tun-port', '6080']`.
   */
  readonly options?: readonly string[] | undefined
}

/** The unique key of a real server within its virtual server. */
export type RealServerKey = Pick<RealServer, 'address' | 'port'>

/** IP_VS_SVC_F_PERSISTENT. */
export const FLAG_PERSISTENT = 0x1
/** IP_VS_SVC_F_HASHED. The kernel sets this flag on every virtual server in its table. */
export const FLAG_HASHED = 0x2
/** IP_VS_SVC_F_ONEPACKET. With this flag, every UDP packet is scheduled separately. */
export const FLAG_ONE_PACKET = 0x4
/** IP_VS_SVC_F_SCHED1, named `sh-fallback` or `mh-fallback` in ipvsadm. */
export const FLAG_SCHED_1 = 0x8
/** IP_VS_SVC_F_SCHED2, named `sh-port` or `mh-port` in ipvsadm. */
export const FLAG_SCHED_2 = 0x10
/** IP_VS_SVC_F_SCHED3. */
export const FLAG_SCHED_3 = 0x20

/** All IPVS schedulers of the Linux kernel. Each scheduler is a kernel module `ip_vs_NAME`. */
export const SCHEDULERS: readonly string[] = [
  'rr',
  'wrr',
  'lc',
  'wlc',
  'lblc',
  'lblcr',
  'dh',
  'sh',
  'mh',
  'sed',
  'nq',
  'fo',
  'ovf',
  'twos',
]
