import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'

/** A parse problem with its location. */
export interface TextProblem<Code extends string = string> {
  /** A stable code; `docs/reference/problems.md` explains each. */
  readonly code: Code
  /** The index of the input text, from 0. */
  readonly text: number
  /** The line, from 1. */
  readonly line: number
  /** The column, from 1, in UTF-16 units. */
  readonly column: number
  /** One line of readable text. */
  readonly message: string
  /** The line with a marker under the position, as two lines of text. */
  readonly excerpt: string
}

/**
 * Maximum number of problems of one kind. Without a maximum, input in another format would produce one problem per
 * line.
 */
export const MAX_PROBLEMS = 100

/** Adds the excerpt of its line to a problem. Characters that a terminal interprets are escaped in the message. */
export function createTextProblem<Code extends string>(
  problem: Omit<TextProblem<Code>, 'excerpt'>,
  line: string,
): TextProblem<Code> {
  const message = escapeControlCharacters(problem.message)
  return { ...problem, message, excerpt: excerptOf(problem.line, problem.column, line) }
}

/** The length of an excerpt on either side of the position. */
const MARGIN = 60

/**
 * Formats a line with a marker under the column, as two lines of text: `12 | -A KUBE …`. Line and column are from 1.
 */
function excerptOf(line: number, column: number, source: string): string {
  const start = Math.max(0, column - 1 - MARGIN)
  const excerpt = source.slice(start, column - 1 + MARGIN)
  const number = `${line} | `
  const mark = `${' '.repeat(number.length - 2)}| ${' '.repeat(column - 1 - start)}^`
  // Unprintable characters also take one column.
  return `${number}${excerpt.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')}\n${mark}`
}
