import type { Diagnostic } from '@kube-rules/types'
import type { NodeState } from '../dataplane/node-state.js'
import type { ChunkedList, Replacement } from '../internal/chunked-list.js'
import type { KernelSettings } from '../plan/kernel-settings.js'
import type { PlanFrame, ServicePlan } from '../plan/plan.js'

/**
 * How one proxy mode of kube-proxy says a plan to the kernel: service port by service port, then all of it together.
 * What one service port comes to (`Part`) depends on its plan and the `Lowering` alone, so that it can be kept.
 */
export interface ModeLowering<Lowering = unknown, Part = unknown> {
  /** Those of the limitations of the mode that make a difference to one service port and that its owner should know of. */
  limitationsOf(service: ServicePlan, lowering: Lowering): readonly Limitation[]
  /** Errors: what this mode cannot work with. Nothing is lowered where there is one. */
  validate(kernel: KernelSettings): readonly Diagnostic[]
  /** What every service port's part depends on beside its own plan: plain data. */
  lowering(frame: PlanFrame): Lowering
  lowerService(service: ServicePlan, lowering: Lowering): Part
  /** What of the lowering one service port's part and limitations depend on. Default: all of it. */
  loweringOf?(service: ServicePlan, lowering: Lowering): unknown
  /** How much parts hold of whatever has to be known of all of them together. */
  countParts(parts: readonly Part[]): PartCounts
  /**
   * All parts together. What an earlier state has in common is taken from there, and what has changed tells where to look.
   * `resumed`, where there is no earlier one, is what the node held in this mode before everything had to be computed anew.
   */
  assemble(parts: Parts<Part>, frame: PlanFrame, earlier?: Earlier<Part>, resumed?: Resumed): Assembled
  /** What the machine needs beside the state; undefined where that is nothing. */
  hostSettings(kernel: KernelSettings): HostSettings | undefined
}

/** A state and what there is to know of it. */
export interface Assembled<State extends NodeState = NodeState> {
  readonly state: State
  readonly inspection: Inspection
  /** What the mode has to know for the next state and this one does not show. */
  readonly memory?: unknown
}

/** A state to go on from, and what its mode remembers of it. */
export type Resumed = Pick<Assembled, 'state' | 'memory'>

/** What service ports come to, in the plan's order. */
export interface Parts<Part> {
  /** All of them, for states that are put together when they are looked at. */
  readonly list: () => ChunkedList<Part>
  readonly counts: PartCounts
}

/** Sums over parts, by what is counted: those of a change can be added to those before. */
export type PartCounts = StateCounts & Readonly<Record<string, number>>

export interface Earlier<Part> extends Resumed {
  /** The frame of that state. */
  readonly frame: PlanFrame
  readonly parts: ChunkedList<Part>
  readonly counts: PartCounts
  /** What takes its parts to those of now. */
  readonly replacements: readonly Replacement<Part>[]
}

/** What a machine needs beside rules. */
export interface HostSettings {
  readonly sysctls: readonly Sysctl[]
  readonly kernelModules: readonly string[]
  /** Absent where the kernel's timeouts are left alone. */
  readonly timeouts?: Timeouts | undefined
}

/** A kernel setting that has to be made first. */
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

/** Something a plan may ask for that a mode does otherwise. */
export interface Limitation {
  readonly code: string
  /** One sentence for people. */
  readonly reason: string
}

/** How many chains and rules there are, in languages that have them. */
export interface StateCounts {
  readonly chains: number
  readonly rules: number
}

export interface Inspection {
  /** How much there is beside the parts. */
  readonly counts: StateCounts
  /** What the kernel would refuse of the state as a whole. */
  readonly diagnostics: readonly Diagnostic[]
}
