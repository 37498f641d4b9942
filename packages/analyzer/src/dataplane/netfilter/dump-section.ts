import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { IP_FAMILIES, type IpFamily, type Result } from '@kube-rules/types'
import { createTextProblem, type TextProblem } from './text-problem.js'

/** Adjacent complete lines of a dump, with their location. */
export interface DumpSection {
  readonly source: string
  /** The index of the input text, from 0. */
  readonly text: number
  /** The number of the first line, from 1. */
  readonly line: number
  /** The family declared by an earlier line; undefined if no line declares one. */
  readonly family: IpFamily | undefined
}

/**
 * Which lines belong together with a first line. `line`: only the first line. `alike`: the first line and all following
 * lines with the extent `alike`. A function: all lines up to the first line that the function accepts.
 */
export type DumpExtent = 'line' | 'alike' | ((line: string) => boolean)

/** The result of parsing lines: states by family, or problems. */
export interface DumpSectionsResult<State, Code extends string = string> {
  /** States of the families with content. */
  readonly states: Readonly<Partial<Record<IpFamily, State>>>
  readonly problems: readonly TextProblem<Code>[]
}

/**
 * Parses lines as one text. For subsystems that keep both families in one state, `ofFamily` selects the part of the
 * state for a family. With `ofFamily`, both families have a state.
 */
export function readDumpSections<State, Code extends string>(
  lines: readonly DumpSection[],
  parse: (text: string) => Result<State, TextProblem<Code>>,
  selectFamily: (state: State, family: IpFamily) => State,
): DumpSectionsResult<State, Code> {
  if (lines.length === 0) return { states: {}, problems: [] }
  const parsed = parse(lines.map(({ source }) => source).join('\n'))
  if (!parsed.ok) return { states: {}, problems: placed(parsed.problems, lines) }
  const states = IP_FAMILIES.map((family) => [family, selectFamily(parsed.value, family)] as const)
  return { states: Object.fromEntries(states), problems: [] }
}

/** Converts problems to the original locations of the lines. */
function placed<Code extends string>(
  problems: readonly TextProblem<Code>[],
  lines: readonly DumpSection[],
): readonly TextProblem<Code>[] {
  const single = lines.flatMap(({ source, text, line }) =>
    source.split('\n').map((each, index) => ({ source: each, text, line: line + index })),
  )
  return problems.map((problem) => {
    const { source, text, line } = elementAt(single, problem.line - 1)
    return createTextProblem({ ...problem, text, line }, source)
  })
}
