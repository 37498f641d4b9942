import type { IpFamily } from '@kube-rules/types'
import type { Effect, Literal } from '../../../../program/program.js'
import type { TableStage } from '../literals.js'
import type { ModuleOption, OptionSyntax } from '../module-options.js'

/** Effects of a target. A rule becomes one instruction for each action. */
export interface Action {
  /** Conditions of the action in addition to those of the rule. */
  readonly literals?: readonly Literal[]
  readonly effects: readonly Effect[]
  /** Formats the assumption of the action; absent if the assumption is that the rule matches. */
  readonly condition?: () => string
}

/**
 * Whether a trace follows the effect of a target (`decided`), or cannot follow it (`unknown`). With `irrelevant`, the
 * packet continues, and no field of `KernelPacket` changes.
 */
export type TargetDecision = 'decided' | 'irrelevant' | 'unknown'

/** The meaning of options, for the reference documentation. */
export interface TargetMeaning {
  /** The options, or a part of them; empty for all options of the target. */
  readonly options: string
  readonly decision: TargetDecision
  readonly reason: string
}

/** The table of a target. */
export interface TargetModuleContext extends TableStage {
  readonly family: IpFamily
}

/** A target of iptables. */
export interface TargetModule {
  readonly name: string
  readonly meanings: readonly TargetMeaning[]
  /** The options; absent if no option makes a difference. */
  readonly syntax?: OptionSyntax
  /** Returns the actions. Undefined if the effect is not known. */
  readonly lower: (options: readonly ModuleOption[], context: TargetModuleContext) => readonly Action[] | undefined
}

/** Returns the action of a target with these effects only. */
export function actionOf(...effects: readonly Effect[]): readonly Action[] {
  return [{ effects }]
}
