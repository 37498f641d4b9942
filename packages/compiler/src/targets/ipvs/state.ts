import type { Cidr, IpFamily } from '@kube-rules/types'
import type { IpsetState } from '../../dataplane/ipset/ast.js'
import type { IptablesState } from '../../dataplane/iptables/ast.js'
import type { IpvsState } from '../../dataplane/ipvs/ast.js'
import type { ServiceEntries } from './service-entries.js'

/** What mode `ipvs` tells the kernel, for one address family. */
export interface IpvsModeState {
  readonly family: IpFamily
  /**
   * What each service port contributes, in the plan's order. Virtual servers, sets and addresses are these put together,
   * each when it is first asked for.
   */
  readonly services: readonly ServiceEntries[]
  readonly virtualServers: IpvsState
  /** With the entries that the kernel takes: `ServiceEntries` has those that it refuses apart. */
  readonly ipsets: IpsetState
  /** First the nat table, then the filter table. */
  readonly iptables: IptablesState
  /** The addresses of the device `kube-ipvs0`, in code-unit order. */
  readonly boundAddresses: readonly string[]
  readonly sysctls: readonly Sysctl[]
  readonly kernelModules: readonly string[]
  /** Absent where the kernel's timeouts are left alone. */
  readonly timeouts?: Timeouts | undefined
  /** Virtual servers with an address in one of these are left alone when they are no longer wanted. */
  readonly excludeCidrs: readonly Cidr[]
}

/** A kernel setting that has to be made before virtual servers work. */
export interface Sysctl {
  /** As sysctl(8) spells it: `net.ipv4.ip_forward`. */
  readonly name: string
  readonly value: string
  /** Set only on these kernels; absent: on all. */
  readonly kernels?: KernelRange | undefined
}

/** Kernel versions such as `4.1`: the first one, and the first one after the last. */
export interface KernelRange {
  readonly from: string
  readonly before: string
}

/** The words of `ipvsadm --set`, in whole seconds; 0 leaves the kernel's value. */
export interface Timeouts {
  readonly tcp: number
  readonly tcpFin: number
  readonly udp: number
}
