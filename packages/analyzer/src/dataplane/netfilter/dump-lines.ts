import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { type Parsed, type TextProblem, textProblem } from './text-problem.js'

/** Whole lines of a dump that belong together, and where they stand. */
export interface DumpLines {
  readonly source: string
  /** Which of the texts they are in, from 0. */
  readonly text: number
  /** The number of the first line, from 1. */
  readonly line: number
  /** The family that a line before them names; undefined where none does. */
  readonly family: IpFamily | undefined
}

/**
 * How many lines belong to a first one: that line alone, it and all that follow of which the same is said, or all to the
 * first that ends them.
 */
export type LinesEnd = 'line' | 'alike' | ((line: string) => boolean)

/** What was read of them: states by family, or what is wrong. */
export interface ReadLines<State, Code extends string = string> {
  /** Only families of which there is something. */
  readonly states: Readonly<Partial<Record<IpFamily, State>>>
  readonly problems: readonly TextProblem<Code>[]
}

/**
 * Reads lines as one text. `ofFamily` picks what of a state concerns a family, for languages in which
 * both families are in one place; both have a state then.
 */
export function readLines<State, Code extends string>(
  lines: readonly DumpLines[],
  parse: (text: string) => Parsed<State, Code>,
  ofFamily: (state: State, family: IpFamily) => State,
): ReadLines<State, Code> {
  if (lines.length === 0) return { states: {}, problems: [] }
  const parsed = parse(lines.map(({ source }) => source).join('\n'))
  if (!parsed.ok) return { states: {}, problems: placed(parsed.problems, lines) }
  const states = IP_FAMILIES.map((family) => [family, ofFamily(parsed.value, family)] as const)
  return { states: Object.fromEntries(states), problems: [] }
}

/** Problems of lines, where the lines really stand. */
function placed<Code extends string>(
  problems: readonly TextProblem<Code>[],
  lines: readonly DumpLines[],
): readonly TextProblem<Code>[] {
  const single = lines.flatMap(({ source, text, line }) =>
    source.split('\n').map((each, index) => ({ source: each, text, line: line + index })),
  )
  return problems.map((problem) => {
    const { source, text, line } = single[problem.line - 1] as (typeof single)[number]
    return textProblem({ ...problem, text, line }, source)
  })
}
