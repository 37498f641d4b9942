import type { IpFamily } from '@kube-rules/types'
import { negateLiteralIf } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import type { StateContext } from '../../../../program/state-context.js'
import type { TableStage } from '../literals.js'
import type { ModuleOption, OptionSyntax } from '../module-options.js'

/**
 * Whether the first packet of a connection decides a match: always, never (`unknown`), or in the cases that the reason
 * describes (`partly`).
 */
export type Decision = 'decided' | 'partly' | 'unknown'

/** The meaning of options, for the reference documentation. */
export interface Meaning {
  /** The options, or a part of them; empty for all options of the module. */
  readonly options: string
  readonly decision: Decision
  readonly reason: string
}

export interface MatchContext extends TableStage {
  readonly family: IpFamily
  readonly lookUpSet: StateContext['lookUpSet']
}

/** Returns the literals of options. Undefined if the meaning of an option is unknown. */
export type LowerOptions = (options: readonly ModuleOption[], context: MatchContext) => readonly Literal[] | undefined

/** A match module of iptables, or the options of a protocol. */
export interface MatchModule {
  /** The name after `-m`. */
  readonly name: string
  readonly meanings: readonly Meaning[]
  /** The options; absent if no option makes a difference. */
  readonly syntax?: OptionSyntax
  readonly lower: LowerOptions
}

/** Returns a function that lowers each option by itself. All options of a module must apply. */
export function lowerEach(
  lowerOption: (option: ModuleOption, context: MatchContext) => Literal | undefined,
): LowerOptions {
  return (options, context) => {
    const literals: Literal[] = []
    for (const option of options) {
      const literal = lowerOption(option, context)
      if (literal === undefined) return undefined
      literals.push(negateLiteralIf(option.negated, literal))
    }
    return literals
  }
}

/** Creates a module with the same result for all options. */
export function createConstantModule(
  name: string,
  decision: Decision,
  literals: readonly Literal[],
  reason: string,
): MatchModule {
  return { name, meanings: [{ options: '', decision, reason }], lower: () => literals }
}
