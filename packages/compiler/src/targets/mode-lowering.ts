import type { Diagnostic } from '@kube-rules/types'
import type { NodeState } from '../dataplane/node-state.js'
import type { ListReplacement } from '../internal/list-changes.js'
import type { KernelSettings } from '../plan/kernel-settings.js'
import type { PlanHeader, ServicePlan } from '../plan/plan.js'

/**
 * The lowering of a plan to the state of one proxy mode. First, each service port is lowered to a contribution; then
 * the contributions are assembled. The contribution of a service port (`Part`) depends only on its plan and the
 * `Lowering` context, so that it can be cached.
 */
export interface ModeLowering<Lowering = unknown, Part = unknown, Memory = unknown> {
  /** Returns the limitations of the mode that affect a service port and that matter to the owner of the Service. */
  limitationsOf(service: ServicePlan, lowering: Lowering): readonly Limitation[]
  /** Returns errors for settings that this mode does not support. If there are errors, no state is computed. */
  validate(kernel: KernelSettings): readonly Diagnostic[]
  /**
   * Returns the lowering context: the inputs of every contribution, except the plan of the service port. The context is
   * plain data.
   */
  lowering(header: PlanHeader): Lowering
  lowerService(service: ServicePlan, lowering: Lowering): Part
  /**
   * Returns the part of the lowering context that the contribution and the limitations of one service port depend on.
   * If this function is absent, they depend on the whole context.
   */
  loweringOf?(service: ServicePlan, lowering: Lowering): unknown
  /**
   * Reports whether kube-proxy rewrites unchanged service ports after this change of the lowering context, instead of
   * leaving their rules until its next full sync. If this function is absent, kube-proxy rewrites them.
   */
  rewritesUnchangedPorts?(previous: Lowering, next: Lowering): boolean
  /** Counts the content of contributions, for the totals that `assemble` reads. */
  countParts(parts: readonly Part[]): ContributionCounts
  /**
   * Assembles the state from all contributions. Reuses unchanged parts of the earlier state, so that the cost depends
   * on the changes. If there is no earlier state, `resumed` is the state in this mode before a full recompilation.
   */
  assemble(
    parts: ServiceContributions<Part>,
    header: PlanHeader,
    earlier?: PreviousAssembly<Part, Memory>,
    resumed?: ResumableAssembly<Memory>,
  ): AssembledState<NodeState, Memory>
  /** Returns the host requirements that apply in addition to the state; undefined if the mode has no host requirements. */
  hostRequirements(kernel: KernelSettings): HostRequirements | undefined
}

/** A node state, its counts and diagnostics. */
export interface AssembledState<State extends NodeState = NodeState, Memory = unknown> {
  readonly state: State
  readonly counts: StateCounts
  /** Reasons why the kernel would reject the state as a whole. */
  readonly diagnostics: readonly Diagnostic[]
  /** Data that is not part of the state, but is needed to compute the next state. */
  readonly memory?: Memory | undefined
}

/** A state that the next state is computed from, with the data of its mode. */
export type ResumableAssembly<Memory = unknown> = Pick<AssembledState<NodeState, Memory>, 'state' | 'memory'>

/** The contributions of service ports, in the order of the plan. */
export interface ServiceContributions<Part> {
  /** Returns all contributions, for lazily built states. */
  readonly list: () => readonly Part[]
  readonly counts: ContributionCounts
}

/**
 * Totals over contributions, by kind. A change subtracts the totals of the old contributions and adds the totals of the
 * new contributions.
 */
export interface ContributionCounts extends StateCounts {
  /** The number of service ports with entries in each set of ipvs mode. */
  readonly portsBySet?: CountsByName | undefined
  /** The number of entries in each set of ipvs mode. */
  readonly entriesBySet?: CountsByName | undefined
}

/** Counts by the name of a set. */
export type CountsByName = Readonly<Record<string, number>>

export interface PreviousAssembly<Part, Memory = unknown> extends ResumableAssembly<Memory> {
  /** The plan header of the previous state. */
  readonly header: PlanHeader
  readonly parts: readonly Part[]
  readonly counts: ContributionCounts
  /** The replacements that convert the contributions of the previous state to the current contributions. */
  readonly replacements: readonly ListReplacement<Part>[]
}

/** Requirements for the host that are not part of the rules. */
export interface HostRequirements {
  /** The sysctls, in the order that kube-proxy sets them. */
  readonly sysctls: readonly Sysctl[]
  /** The kernel modules, such as `ip_vs`. */
  readonly kernelModules: readonly string[]
  /** The IPVS timeouts; absent if the timeouts of the kernel are kept. */
  readonly timeouts?: IpvsTimeouts | undefined
}

/** A required kernel setting. */
export interface Sysctl {
  /** The name in sysctl(8) notation: `net.ipv4.ip_forward`. */
  readonly name: string
  /** The value to set. */
  readonly value: string
  /** The kernels that need the sysctl. If absent, all kernels need it. */
  readonly kernels?: KernelVersionRange | undefined
}

/** A range of kernel versions. The end of the range is exclusive. */
export interface KernelVersionRange {
  /** The first kernel version in the range, for example `4.1`. */
  readonly from: string
  /** The first kernel version after the range. */
  readonly before: string
}

/** The arguments of `ipvsadm --set`, in whole seconds; 0 preserves the value of the kernel. */
export interface IpvsTimeouts {
  /** The TCP timeout in seconds; 0 keeps the timeout of the kernel. */
  readonly tcp: number
  /** The TCP timeout after a FIN, in seconds; 0 keeps the timeout of the kernel. */
  readonly tcpFin: number
  /** The UDP timeout in seconds; 0 keeps the timeout of the kernel. */
  readonly udp: number
}

/** A case where rules of a mode deviate from the plan. */
export interface Limitation {
  readonly code: string
  /** One readable sentence. */
  readonly reason: string
}

/** The number of chains and rules, in subsystems with chains. */
export interface StateCounts {
  readonly chains: number
  readonly rules: number
}
