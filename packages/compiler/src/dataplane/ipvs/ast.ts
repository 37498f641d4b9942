/** The virtual servers of one network namespace; their order means nothing. */
export interface IpvsState {
  readonly virtualServers: readonly VirtualServer[]
  /** Lines about services by firewall mark (`-A -f 1 -s rr`), as they were but for single blanks between words. */
  readonly unknownLines?: readonly string[] | undefined
  /** Who asks for what; `virtualServers` are these put together. Absent where that is not known. */
  readonly contributions?: readonly ServerContribution[] | undefined
}

/** The virtual servers that one owner asks for. Of several that ask for one place, the first in the list has it. */
export interface ServerContribution {
  /** An opaque label. */
  readonly owner: string
  readonly virtualServers: readonly VirtualServer[]
  /** Those that are there only where nobody has the same place among `virtualServers`. */
  readonly yieldingServers: readonly VirtualServer[]
}

export type VirtualServerProtocol = 'TCP' | 'UDP' | 'SCTP'

/** In the order of the protocols' numbers. */
export const VIRTUAL_SERVER_PROTOCOLS: readonly VirtualServerProtocol[] = ['TCP', 'UDP', 'SCTP']

/** An address and port whose connections are spread over real servers. */
export interface VirtualServer {
  readonly address: string
  /** 0 means every port, and only with `FLAG_PERSISTENT`. */
  readonly port: number
  readonly protocol: VirtualServerProtocol
  /** A name such as `rr`, see `SCHEDULERS`. */
  readonly scheduler: string
  /** The sum of `FLAG_…` bits. */
  readonly flags: number
  /** Seconds for which a client stays with its real server; counts only with `FLAG_PERSISTENT`. */
  readonly timeout: number
  /**
   * Which clients count as one, as ipvsadm writes it: `255.255.255.0` for IPv4, a prefix length such as `64` for IPv6.
   * Absent: every address is a client of its own. Counts only with `FLAG_PERSISTENT`.
   */
  readonly netmask?: string | undefined
  /** The name of a persistence engine (`sip`). */
  readonly persistenceEngine?: string | undefined
  readonly realServers: readonly RealServer[]
}

/** A virtual server without its real servers. */
export type VirtualServerDefinition = Omit<VirtualServer, 'realServers'>

/** What tells a virtual server from every other one. */
export type VirtualServerPlace = Pick<VirtualServer, 'address' | 'port' | 'protocol'>

export type Forwarding = 'masquerade' | 'route' | 'tunnel'

export interface RealServer {
  readonly address: string
  /** With `route` and `tunnel` the kernel uses the virtual server's port instead. */
  readonly port: number
  readonly forwarding: Forwarding
  /** 0 means no new connections. */
  readonly weight: number
  /** Words about thresholds and the kind of tunnel: `['-x', '100', '--tun-type', 'gue', '--tun-port', '6080']`. */
  readonly options?: readonly string[] | undefined
}

/** What tells a real server from every other one of its virtual server. */
export type RealServerPlace = Pick<RealServer, 'address' | 'port'>

/** IP_VS_SVC_F_PERSISTENT. */
export const FLAG_PERSISTENT = 0x1
/** IP_VS_SVC_F_HASHED: set by the kernel on every virtual server it holds. */
export const FLAG_HASHED = 0x2
/** IP_VS_SVC_F_ONEPACKET: every UDP packet is scheduled by itself. */
export const FLAG_ONE_PACKET = 0x4
/** IP_VS_SVC_F_SCHED1: `sh-fallback`, `mh-fallback`. */
export const FLAG_SCHED_1 = 0x8
/** IP_VS_SVC_F_SCHED2: `sh-port`, `mh-port`. */
export const FLAG_SCHED_2 = 0x10
/** IP_VS_SVC_F_SCHED3. */
export const FLAG_SCHED_3 = 0x20

/** Every scheduler of the Linux kernel: its modules `ip_vs_NAME`. */
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
