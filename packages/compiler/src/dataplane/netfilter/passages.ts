import type { IpFamily } from '@kube-rules/types'

/** Whole lines of a dump that belong together, and where they stand. */
export interface Passage {
  readonly source: string
  /** Which of the texts they are in, from 0. */
  readonly text: number
  /** The number of the first line, from 1. */
  readonly line: number
  /** The family that a line before them names; undefined where none does. */
  readonly family: IpFamily | undefined
}

/** How far a passage goes that begins with a certain line: that line alone, or on to the first line that ends it. */
export type PassageEnd = 'line' | ((line: string) => boolean)

/** One place at which a text could not be read. */
export interface TextProblem<Code extends string = string> {
  readonly code: Code
  /** Which of the texts, from 0. */
  readonly text: number
  /** Line and column count from 1, columns in UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly message: string
  /** The line with a mark under the place, in two lines of text. */
  readonly frame: string
}

/** What was read of passages: states by family, or what is wrong. */
export interface ReadPassages<State, Code extends string = string> {
  /** Only families of which there is something. */
  readonly states: Readonly<Partial<Record<IpFamily, State>>>
  readonly problems: readonly TextProblem<Code>[]
}

/** Further problems of one kind are not looked for: a text of another kind would give one for each line. */
export const MAX_PROBLEMS = 100
