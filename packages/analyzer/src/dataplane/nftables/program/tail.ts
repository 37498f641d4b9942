import type { Effect, Literal } from '../../../program/program.js'

/** The literals and the effects of the statements of a rule from one statement on. */
export interface Tail {
  readonly literals: readonly Literal[]
  readonly effects: readonly Effect[]
}

/** Puts effects before the rest of a rule. The rest must match after these effects. */
export function before(effects: readonly Effect[], rest: Tail): Tail {
  return { literals: [], effects: [...effects, ...effectsOfTail(rest)] }
}

/** Reports whether the rest of a rule only records its step. */
export function isWithoutEffect({ literals, effects }: Tail): boolean {
  return literals.length === 0 && effects.every(({ kind }) => kind === 'step')
}

/** Returns the effects of the rest of a rule, with its literals as a requirement. */
export function effectsOfTail({ literals, effects }: Tail): readonly Effect[] {
  return literals.length === 0 ? effects : [{ kind: 'require', literals }, ...effects]
}
