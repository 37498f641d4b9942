import type { IpFamily } from '@kube-rules/types'
import { type TextProblem, textProblem } from './text-problem.js'

/** The command that printed what follows it, as a person typed it: `$ sudo iptables -t nat -S | grep web`. */
export interface Asked {
  /** `iptables`, `ip6tables-save`, `ipvsadm`, without its path and the back end's name. */
  readonly tool: string
  readonly args: readonly string[]
  /** What stands behind it leaves lines out: `search` keeps those with a word, `cut` any others. */
  readonly filter?: 'search' | 'cut' | undefined
}

/** One line of a paste, as a tool would have printed it, and where it stands. */
export interface PastedLine {
  /** `gap`: something was left out here. `end`: what was printed before ends here, that follows is something else. */
  readonly kind: 'line' | 'blank' | 'gap' | 'end'
  /** Without prompt, indentation and what a page puts around it. */
  readonly source: string
  /** It ends in `...`: what follows is not to be seen. */
  readonly isCut?: boolean | undefined
  readonly asked?: Asked | undefined
  /** The family that a heading before it names. */
  readonly family?: IpFamily | undefined
  /** Which of the texts it is in, from 0. */
  readonly text: number
  /** Line and column of `source` in the text, from 1. */
  readonly line: number
  readonly column: number
  /** The whole line of the text. */
  readonly written: string
}

/** Whether a line goes on with what the lines before it began: what goes on after it. Undefined: it does not. */
export type GoesOn = (line: string) => GoesOn | undefined

/** What is not said in a paste and known elsewhere. */
export interface PasteHints {
  /** The family of what does not tell it itself. */
  readonly family: IpFamily
  /** The table of iptables that a chain of this name is in, where there is only one; `led` is where a rule of it leads. */
  readonly tableOfChain: (chain: string, led?: string) => string | undefined
  /** The chain of iptables that a rule with these words is in, where nothing else can be. */
  readonly chainOfWords: (words: readonly string[]) => string | undefined
  /** The table of nftables that a chain, set or map of this name is in, such as `ip kube-proxy`. */
  readonly tableOfPart: (part: string) => string | undefined
  /** Whether the thing with an id (`ipset KUBE-CLUSTER-IP`) is one of those that a whole state would have. */
  readonly isOurs: (id: string) => boolean
}

/** How one language reads what people paste. */
export interface PastedReader<State, Code extends string = string> {
  /** Whether a line begins something of the language. `asked` is the command before it. */
  begins(line: string, asked: Asked | undefined): GoesOn | undefined
  /**
   * Where in a line that goes on with what was begun a remark of the poster begins, which may read like a command; undefined for
   * none. Absent: the language has no lines that could be taken for something else.
   */
  remarkAt?(line: string): number | undefined
  /** What a text covers that has nothing but what the tools print of this state. Absent: all of the language. */
  coverageOfDump?(state: State): Coverage
  /** Never throws; what cannot be read is a problem, and the rest is read all the same. */
  read(lines: readonly PastedLine[], hints: PasteHints): ReadPaste<State, Code>
}

/** What was read of a paste. */
export interface ReadPaste<State, Code extends string = string> {
  /** Only families of which there is something. */
  readonly states: Readonly<Partial<Record<IpFamily, State>>>
  readonly coverage: Readonly<Partial<Record<IpFamily, Coverage>>>
  readonly problems: readonly TextProblem<Code | PasteProblemCode>[]
  readonly notes: readonly PasteNote[]
}

/** What of one language is all there. */
export interface Coverage {
  /** Nothing is missing of the language. */
  readonly isWhole: boolean
  /** The ids of parts of which nothing is missing: tables, chains, sets, virtual servers. */
  readonly whole: readonly string[]
  /** Of these the ones that were asked for and hold nothing. Absent: none. */
  readonly empty?: readonly string[] | undefined
  /** The ids of chains whose rules may ask for more than is shown. */
  readonly shownInPart: readonly string[]
}

/**
 * What only a lenient reading finds.
 * - `cutLine`: a line that ends in the middle, or beside which something was left out
 * - `badRow`: a row of a listing that cannot be read
 * - `strayLine`: a rule, row, entry or server without anything that tells where it belongs
 */
export type PasteProblemCode = 'cutLine' | 'badRow' | 'strayLine'

/**
 * What a reader took for granted or left out.
 * - `assumedTable`, `assumedFamily`: no line says it, others tell
 * - `assumedServer`: statistics of virtual servers show neither schedulers nor weights
 * - `givenTwice`: of two that differ, one is used
 * - `passedOver`: words of the poster, which no tool prints
 * - `removedLine`: what a difference of two texts says is gone
 * - `remark`: what somebody wrote behind a rule, without which it was read
 * - `fragment`: what was given, and that the rest is not known
 */
export type PasteNoteCode =
  | 'assumedTable'
  | 'assumedFamily'
  | 'assumedServer'
  | 'givenTwice'
  | 'passedOver'
  | 'removedLine'
  | 'remark'
  | 'fragment'

export interface PasteNote {
  readonly code: PasteNoteCode
  /** Which of the texts, from 0, and the line, from 1. */
  readonly text: number
  readonly line: number
  /** One line for people. */
  readonly message: string
}

export function problemAt<Code extends string>(
  { text, line, column, written }: PastedLine,
  code: Code,
  message: string,
  offset = 0,
): TextProblem<Code> {
  return textProblem({ code, text, line, column: column + offset, message }, written)
}

export function noteAt({ text, line }: PastedLine, code: PasteNoteCode, message: string): PasteNote {
  return { code, text, line, message }
}

/** Goes on for as long as lines fit. */
export function whileLines(fits: (line: string) => boolean): GoesOn {
  const goesOn: GoesOn = (line) => (fits(line) ? goesOn : undefined)
  return goesOn
}
