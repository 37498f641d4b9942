import { frameOf } from '../netfilter/frame.js'

export type ParseErrorCode =
  /** A control character other than tab and newline, such as the carriage return of CRLF, which the tools refuse. */
  | 'controlCharacter'
  /** `*NAME` with a name that is no table. */
  | 'unknownTable'
  /** A table that starts before the last one was committed, or for the second time. */
  | 'unexpectedTable'
  /** A line that has to stand within a table. */
  | 'outsideTable'
  /** The text ends within a table. */
  | 'missingCommit'
  /** A line that is none of the kinds this parser reads. */
  | 'unknownCommand'
  /** A `:CHAIN` line without name, or with a policy that the chain cannot have. */
  | 'badChainLine'
  /** The same `:CHAIN` line again. */
  | 'duplicateChain'
  /** A command without its chain. */
  | 'missingChain'
  /** A quote that is not closed within its line. */
  | 'unclosedQuote'
  /** A word of a rule that is no option and belongs to none. */
  | 'unexpectedWord'
  /** A second `-j` or `-g` in one rule. */
  | 'duplicateVerdict'

/** One place at which a text could not be read. */
export interface ParseError {
  readonly code: ParseErrorCode
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  readonly message: string
  /** The line with a mark under the place, in two lines of text. */
  readonly frame: string
}

export function createParseError(
  code: ParseErrorCode,
  line: number,
  column: number,
  message: string,
  source: string,
): ParseError {
  return { code, line, column, message, frame: frameOf(line, column, source) }
}
