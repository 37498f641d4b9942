/** The virtual servers of one network namespace; their order is not significant. */
export interface IpvsState {
  /** The virtual servers. */
  readonly virtualServers: readonly VirtualServer[]
  /** Lines about services by firewall mark (`-A -f 1 -s rr`), unchanged except for single blanks between words. */
  readonly unknownLines?: readonly string[] | undefined
  /** The virtual servers by owner; `virtualServers` are their union. Absent if unknown. */
  readonly contributions?: readonly ServerContribution[] | undefined
}

/**
 * The virtual servers that one owner requires. If several owners require the same address and port, the first in the
 * list gets it.
 */
export interface ServerContribution {
  /** The owner, an opaque label. */
  readonly owner: string
  /** The virtual servers, without fallback servers. */
  readonly virtualServers: readonly VirtualServer[]
  /**
   * Fallback virtual servers. One is used only if no owner has a virtual server with its address and port in
   * `virtualServers`.
   */
  readonly fallbackServers: readonly VirtualServer[]
}

/** A protocol that ipvs balances. */
export type VirtualServerProtocol = 'TCP' | 'UDP' | 'SCTP'

/** Protocols in the order of their numbers. */
export const VIRTUAL_SERVER_PROTOCOLS: readonly VirtualServerProtocol[] = ['TCP', 'UDP', 'SCTP']

/** An address and port with connections balanced over real servers. */
export interface VirtualServer {
  /** The address. */
  readonly address: string
  /** The port; 0 means every port, and only with `FLAG_PERSISTENT`. */
  readonly port: number
  /** The protocol. */
  readonly protocol: VirtualServerProtocol
  /** A name such as `rr`, see `SCHEDULERS`. */
  readonly scheduler: string
  /** The sum of `IP_VS_SVC_F_…` bits: 1 persistent, 2 hashed, 4 one packet, 8, 16 and 32 the flags of the scheduler. */
  readonly flags: number
  /** The persistence timeout of a client in seconds; effective only with `FLAG_PERSISTENT`. */
  readonly timeout: number
  /**
   * The mask that groups clients, in ipvsadm notation: `255.255.255.0` for IPv4, a prefix length such as `64` for IPv6.
   * Absent if every address is a separate client. Effective only with `FLAG_PERSISTENT`.
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

/** How packets reach a real server: by NAT, by routing or in a tunnel. */
export type ForwardingMethod = 'masquerade' | 'route' | 'tunnel'

/** A destination of a virtual server. */
export interface RealServer {
  /** The address. */
  readonly address: string
  /** The port; with `route` and `tunnel` the kernel uses the port of the virtual server instead. */
  readonly port: number
  /** How packets reach it. */
  readonly forwarding: ForwardingMethod
  /** The weight; 0 means no new connections. */
  readonly weight: number
  /** Words for thresholds and the kind of tunnel: `['-x', '100', '--tun-type', 'gue', '--tun-port', '6080']`. */
  readonly options?: readonly string[] | undefined
}

/** The unique key of a real server within its virtual server. */
export type RealServerKey = Pick<RealServer, 'address' | 'port'>

/** IP_VS_SVC_F_PERSISTENT. */
export const FLAG_PERSISTENT = 0x1
/** IP_VS_SVC_F_HASHED: set by the kernel on every virtual server it contains. */
export const FLAG_HASHED = 0x2
/** IP_VS_SVC_F_ONEPACKET: every UDP packet is scheduled separately. */
export const FLAG_ONE_PACKET = 0x4
/** IP_VS_SVC_F_SCHED1: `sh-fallback`, `mh-fallback`. */
export const FLAG_SCHED_1 = 0x8
/** IP_VS_SVC_F_SCHED2: `sh-port`, `mh-port`. */
export const FLAG_SCHED_2 = 0x10
/** IP_VS_SVC_F_SCHED3. */
export const FLAG_SCHED_3 = 0x20

/** All schedulers of the Linux kernel: its modules `ip_vs_NAME`. */
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
