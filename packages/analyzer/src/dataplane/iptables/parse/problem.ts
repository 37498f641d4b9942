import type { TextProblem } from '../../netfilter/text-problem.js'

export const IPTABLES_PROBLEM_CODES = [
  /** A control character other than tab and newline, such as the carriage return of CRLF, which the tools reject. */
  'controlCharacter',
  /** `*NAME` with a name that is not a table. */
  'unknownTable',
  /** A table that starts before the previous one was committed, or for the second time. */
  'unexpectedTable',
  /** A line that is valid only within a table. */
  'outsideTable',
  /** The text ends within a table. */
  'missingCommit',
  /** A line of a kind that this parser does not support. */
  'unknownCommand',
  /** A `:CHAIN` line without name, or with an invalid policy for the chain. */
  'badChainLine',
  /** A duplicate `:CHAIN` line. */
  'duplicateChain',
  /** A command without its chain. */
  'missingChain',
  /** A quote that is not closed within its line. */
  'unclosedQuote',
  /** A word of a rule that is neither an option nor an argument of an option. */
  'unexpectedWord',
  /** An option at the end of a rule without its value. */
  'missingValue',
  /** A second `-j` or `-g` in one rule. */
  'duplicateTarget',
  /** A second table with the same name and family. */
  'duplicateTable',
] as const

/** The codes of problems of `parseIptables`. */
export type IptablesProblemCode = (typeof IPTABLES_PROBLEM_CODES)[number]

export type IptablesProblem = TextProblem<IptablesProblemCode>
