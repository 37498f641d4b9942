import type { Cidr, Diagnostic, IpFamily } from '@kube-rules/types'
import type { Settings } from '../configuration/settings.js'
import type { Stage } from '../dataplane/netfilter/stage.js'
import type { Patch } from '../diff/patch.js'
import type { Replacement } from '../internal/sorted-list.js'
import type { PlanFrame, ServicePlan } from '../plan/plan.js'

/**
 * How one proxy mode of kube-proxy says a plan to the kernel: service port by service port, then all of it together.
 * What one service port comes to (`Part`) depends on its plan and the `Lowering` alone, so that it can be kept.
 */
export interface Target<State, Lowering, Part> {
  /** What this mode cannot express of a plan, each with its reason. */
  readonly limitations: readonly Limitation[]
  /** Those of the limitations that make a difference to one service port and that its owner should know of. */
  limitationsOf(service: ServicePlan, lowering: Lowering): readonly Limitation[]
  /** Errors: what this mode cannot work with. Nothing is lowered where there is one. */
  validate(settings: Settings): readonly Diagnostic[]
  /** What every service port's part depends on beside its own plan: plain data. */
  lowering(frame: PlanFrame, settings: Settings): Lowering
  lowerService(service: ServicePlan, lowering: Lowering): Part
  /** How much a part holds. Throws where the kernel would refuse it, which is a bug of the library. */
  inspectPart(part: Part): StateCounts
  /**
   * `parts` are those of the service ports in the plan's order. What an earlier state has in common is taken from
   * there, and what changed since tells where to look.
   */
  assemble(parts: readonly Part[], frame: PlanFrame, settings: Settings, earlier?: Earlier<State, Part>): State
  /** How much there is beside the parts, and what the kernel would refuse of the state as a whole. */
  inspectState(state: State): Inspection
  /** What turns one state of a family into another; undefined stands for nothing of ours. */
  diff(before: State | undefined, after: State | undefined): Patch
  /** The runs of tools that carry a patch out. */
  script(patch: Patch, options: ScriptOptions): readonly Stage[]
}

export interface Earlier<State, Part> {
  readonly state: State
  /** Its parts, and what has taken their place; absent where that is not known. */
  readonly changes?:
    | { readonly parts: readonly Part[]; readonly replacements: readonly Replacement<Part>[] }
    | undefined
}

export interface ScriptOptions {
  readonly family: IpFamily
  /** Which iptables the node has: what is quick for the one is slow for the other. */
  readonly backend: 'nft' | 'legacy'
  /** What a first load finds is not known: nothing may depend on what is there, and what is there already stays. */
  readonly ensure?: boolean | undefined
  /**
   * Only mode ipvs: real servers that wait for the end of their connections once the patch is applied, as
   * `terminateGracefully` tells (`10.96.0.9:80/TCP/10.244.2.2:8080`). They get weight 0 instead of being deleted.
   */
  readonly terminating?: readonly string[] | undefined
  /** Only mode ipvs: those that wait already. One that is wanted again is deleted and added. */
  readonly waiting?: readonly string[] | undefined
  /** Only mode ipvs: virtual servers with an address in one of these stay although nobody wants them. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
}

/** Something a plan may ask for that a mode does otherwise. */
export interface Limitation {
  readonly code: string
  /** One sentence for people. */
  readonly reason: string
}

/** How many chains and rules of iptables there are. */
export interface StateCounts {
  readonly chains: number
  readonly rules: number
}

export interface Inspection {
  readonly counts: StateCounts
  readonly diagnostics: readonly Diagnostic[]
}
