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

/** Further problems of one kind are not looked for: a text of another kind would give one for each line. */
export const MAX_PROBLEMS = 100

/** A problem with its excerpt of the line it is in. */
export function textProblem<Code extends string>(
  problem: Omit<TextProblem<Code>, 'excerpt'>,
  line: string,
): TextProblem<Code> {
  return { ...problem, excerpt: excerptOf(problem.line, problem.column, line) }
}

/** How much of a long line an excerpt shows on either side of the place. */
const MARGIN = 60

/** The line with a mark under the column, in two lines of text: `12 | -A KUBE …`. Line and column count from 1. */
function excerptOf(line: number, column: number, source: string): string {
  const start = Math.max(0, column - 1 - MARGIN)
  const excerpt = source.slice(start, column - 1 + MARGIN)
  const number = `${line} | `
  const mark = `${' '.repeat(number.length - 2)}| ${' '.repeat(column - 1 - start)}^`
  // What cannot be shown is one column, too.
  return `${number}${excerpt.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')}\n${mark}`
}
