import type { TextProblem } from '../../netfilter/text-problem.js'

export const IPTABLES_PROBLEM_CODES = [
  /** A control character other than tab and newline, such as the carriage return of CRLF, which the tools refuse. */
  'controlCharacter',
  /** `*NAME` with a name that is no table. */
  'unknownTable',
  /** A table that starts before the last one was committed, or for the second time. */
  'unexpectedTable',
  /** A line that has to stand within a table. */
  'outsideTable',
  /** The text ends within a table. */
  'missingCommit',
  /** A line that is none of the kinds this parser reads. */
  'unknownCommand',
  /** A `:CHAIN` line without name, or with a policy that the chain cannot have. */
  'badChainLine',
  /** The same `:CHAIN` line again. */
  'duplicateChain',
  /** A command without its chain. */
  'missingChain',
  /** A quote that is not closed within its line. */
  'unclosedQuote',
  /** A word of a rule that is no option and belongs to none. */
  'unexpectedWord',
  /** An option at the end of a rule without the value it takes. */
  'missingValue',
  /** A second `-j` or `-g` in one rule. */
  'duplicateVerdict',
  /** A table that the same family has already. */
  'duplicateTable',
] as const

export type IptablesProblemCode = (typeof IPTABLES_PROBLEM_CODES)[number]

export type IptablesProblem = TextProblem<IptablesProblemCode>
