import type { Scanner, Token } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { createTextProblem, MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'

export const NFTABLES_PROBLEM_CODES = [
  'invalidCharacter',
  'openQuote',
  'unexpectedWord',
  'missingWord',
  'invalidValue',
  'unknownCommand',
  'unclosedBlock',
  'duplicateName',
  'rejectedCommand',
  'invalidJson',
] as const

/** The codes of problems of `parseNftables`. */
export type NftablesProblemCode = (typeof NFTABLES_PROBLEM_CODES)[number]

export type NftablesProblem = TextProblem<NftablesProblemCode>

/** A text during parsing, with its problems so far. */
export interface NftablesParser extends Scanner {
  readonly problems: NftablesProblem[]
}

/** Records a problem at a token. */
export function recordProblem(
  reader: NftablesParser,
  code: NftablesProblemCode,
  message: string,
  token: Token,
): undefined {
  const { source, problems } = reader
  if (problems.length >= MAX_PROBLEMS) return
  const isOpen = token.kind === 'openString'
  const lineStart = source.lastIndexOf('\n', token.start - 1) + 1
  const lineEnd = source.indexOf('\n', token.start)
  const problem = {
    code: isOpen ? ('openQuote' as const) : code,
    text: 0,
    line: lineNumber(source, token.start),
    column: token.start - lineStart + 1,
    message: isOpen ? 'a double quote is not closed in its line' : message,
  }
  problems.push(createTextProblem(problem, source.slice(lineStart, lineEnd < 0 ? source.length : lineEnd)))
}

/** Records a problem: a token differs from the expected one. */
export function recordUnexpectedToken(reader: NftablesParser, what: string, token: Token): undefined {
  const isMissing = token.kind === 'end' || token.kind === 'newline'
  return recordProblem(reader, isMissing ? 'missingWord' : 'unexpectedWord', `${what} is expected here`, token)
}

/** Reports whether the maximum number of problems is reached. */
export function hasMaxProblems(reader: NftablesParser): boolean {
  return reader.problems.length >= MAX_PROBLEMS
}

function lineNumber(source: string, offset: number): number {
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', at + 1)) line++
  return line
}
