import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { excerptOf } from './excerpt.js'

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
  readonly excerpt: string
}

/** What was read of a text, or what is wrong with it. */
export type Parsed<Value, Code extends string = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly TextProblem<Code>[] }

/** What was read of passages: states by family, or what is wrong. */
export interface ReadPassages<State, Code extends string = string> {
  /** Only families of which there is something. */
  readonly states: Readonly<Partial<Record<IpFamily, State>>>
  readonly problems: readonly TextProblem<Code>[]
}

/** Further problems of one kind are not looked for: a text of another kind would give one for each line. */
export const MAX_PROBLEMS = 100

/**
 * Reads passages of one line each as one text. `ofFamily` picks what of a state concerns a family, for languages in which
 * both families are in one place; both have a state then.
 */
export function readLines<State, Code extends string>(
  passages: readonly Passage[],
  parse: (text: string) => Parsed<State, Code>,
  ofFamily: (state: State, family: IpFamily) => State,
): ReadPassages<State, Code> {
  if (passages.length === 0) return { states: {}, problems: [] }
  const parsed = parse(passages.map(({ source }) => source).join('\n'))
  if (!parsed.ok) return { states: {}, problems: parsed.problems.map((problem) => placed(problem, passages)) }
  const states = IP_FAMILIES.map((family) => [family, ofFamily(parsed.value, family)] as const)
  return { states: Object.fromEntries(states), problems: [] }
}

/** A problem of a line, where the line really stands. */
function placed<Code extends string>(problem: TextProblem<Code>, passages: readonly Passage[]): TextProblem<Code> {
  const { source, text, line } = passages[problem.line - 1] as Passage
  return { ...problem, text, line, excerpt: excerptOf(line, problem.column, source) }
}
