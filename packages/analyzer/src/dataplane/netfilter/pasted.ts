import type { IpFamily } from '@kube-rules/types'
import { createTextProblem, type TextProblem } from './text-problem.js'

/** The command that printed the following output, as typed by a person: `$ sudo iptables -t nat -S | grep web`. */
export interface PastedCommand {
  /** `iptables`, `ip6tables-save`, `ipvsadm`, without its path and backend suffix. */
  readonly tool: string
  readonly args: readonly string[]
  /**
   * How a piped command omitted lines: `search` (grep) keeps lines that contain a word; `cut` is any other omission,
   * such as by head or tail.
   */
  readonly filter?: 'search' | 'cut' | undefined
  /** Whether a search keeps the headings of all chains of kube-proxy: `grep KUBE`. */
  readonly keepsHeadings?: boolean | undefined
}

/** One line of an excerpt in the form of tool output, with its location. */
export interface PastedLine {
  /**
   * `gap`: lines are missing here. `unread`: this line of the output could not be read. `end`: the preceding output ends
   * here, and the following text is something else.
   */
  readonly kind: 'line' | 'blank' | 'gap' | 'unread' | 'end'
  /** The text without prompt, indentation and web page decoration. */
  readonly source: string
  /** Whether the line ends in `...`, which means that the rest is missing. */
  readonly isCut?: boolean | undefined
  readonly command?: PastedCommand | undefined
  /** The family declared by an earlier heading. */
  readonly family?: IpFamily | undefined
  /** The index of the input text, from 0. */
  readonly text: number
  /** Line and column of `source` in the text, from 1. */
  readonly line: number
  readonly column: number
  /** The complete line of the text. */
  readonly written: string
}

/**
 * Decides whether a line continues the preceding lines. If so, returns the function for the line after it, otherwise
 * undefined.
 */
export type LineContinuation = (line: string) => LineContinuation | undefined

/** Facts from other sources for interpreting an excerpt. */
export interface PasteHints {
  /** The family to assume for content that does not show its family. */
  readonly family: IpFamily
  /** Returns the only iptables table with a chain of this name; `jumpTarget` is the target of one of its rules. */
  readonly tableOfChain: (chain: string, jumpTarget?: string) => string | undefined
  /** Returns the iptables chain that a rule with these words must belong to. Undefined if several chains are possible. */
  readonly chainOfWords: (words: readonly string[]) => string | undefined
  /** Returns the nftables table with a chain, set or map of this name, such as `ip kube-proxy`. */
  readonly tableOfObject: (name: string) => string | undefined
  /** Reports whether the resource with an id (`ipset KUBE-CLUSTER-IP`) would exist in a complete state. */
  readonly isOwned: (id: string) => boolean
}

/** The lenient parser of one subsystem for excerpts. */
export interface PasteReader<State, Code extends string = string> {
  /**
   * Returns the function for the following lines if a line starts content of the subsystem; undefined if not. `command`
   * is the preceding command.
   */
  begins(line: string, command: PastedCommand | undefined): LineContinuation | undefined
  /**
   * Returns the position of a remark that the author wrote on a continuation line. Such a remark may resemble a
   * command. Returns undefined if there is no remark. Absent if no line of the subsystem can contain a remark.
   */
  remarkAt?(line: string): number | undefined
  /**
   * Returns the coverage of an input that contains only tool output for this state. If the method is absent, such an
   * input covers the whole subsystem.
   */
  coverageOfDump?(state: State): SubsystemCoverage
  /**
   * Reports whether a strictly parsed state contains text that no tool prints. Absent if strict parsing rejects such
   * text.
   */
  hasUnreadLines?(state: State): boolean
  /** Parses lines and never throws. Invalid lines are problems; all other lines are parsed. */
  read(lines: readonly PastedLine[], hints: PasteHints): ReadPasteResult<State, Code>
}

/** The result of parsing an excerpt. */
export interface ReadPasteResult<State, Code extends string = string> {
  /** States of the families with content. */
  readonly states: Readonly<Partial<Record<IpFamily, State>>>
  readonly coverage: Readonly<Partial<Record<IpFamily, SubsystemCoverage>>>
  readonly problems: readonly TextProblem<Code | PasteProblemCode>[]
  readonly notes: readonly PasteNote[]
}

/** The completeness of the content of one subsystem. */
export interface SubsystemCoverage {
  /** Whether the whole subsystem is complete. */
  readonly isComplete: boolean
  /** The ids of tables, chains, sets and virtual servers that are complete. */
  readonly complete: readonly string[]
  /** The ids in `complete` of tables, chains and sets that are empty. If absent, none of them is empty. */
  readonly empty?: readonly string[] | undefined
  /** The ids of chains with rules that are shown in part, or that may belong to another table or family. */
  readonly truncated: readonly string[]
}

/**
 * Problems that only lenient parsing reports.
 * - `cutLine`: a truncated line, or a line next to omitted text
 * - `badRow`: an invalid row of a listing
 * - `strayLine`: a rule, row, entry or server without information about its container
 */
export type PasteProblemCode = 'cutLine' | 'badRow' | 'strayLine'

/**
 * Assumptions and omissions of lenient parsing.
 * - `assumedTable`, `assumedFamily`: derived from other lines, because no line states it
 * - `assumedServer`: statistics of virtual servers show neither schedulers nor weights
 * - `duplicateChain`: one of two different versions is used
 * - `skippedLines`: words of the author that no tool prints
 * - `brokenLines`: lines that a terminal or a form broke or cut in one column
 * - `otherOutput`: output of a tool that prints no rules, such as `conntrack -L`
 * - `listedByNft`: tables of iptables-nft, which nft lists without some options of rules
 * - `diffRemovedLine`: a removed line in a diff
 * - `trailingComment`: text after a rule that was ignored
 * - `fragment`: the coverage of the excerpt; the rest is unknown
 */
export type PasteNoteCode =
  | 'assumedTable'
  | 'assumedFamily'
  | 'assumedServer'
  | 'duplicateChain'
  | 'skippedLines'
  | 'brokenLines'
  | 'otherOutput'
  | 'listedByNft'
  | 'diffRemovedLine'
  | 'trailingComment'
  | 'fragment'

/** An assumption of lenient parsing, with its location. */
export interface PasteNote {
  /** A stable code. */
  readonly code: PasteNoteCode
  /** The index of the input text, from 0, and the line, from 1. */
  readonly text: number
  /** The line, from 1. */
  readonly line: number
  /** One line of readable text. */
  readonly message: string
}

export function createPasteProblem<Code extends string>(
  { text, line, column, written }: PastedLine,
  code: Code,
  message: string,
  offset = 0,
): TextProblem<Code> {
  return createTextProblem({ code, text, line, column: column + offset, message }, written)
}

export function createPasteNote({ text, line }: PastedLine, code: PasteNoteCode, message: string): PasteNote {
  return { code, text, line, message }
}

/** Returns a continuation that accepts lines as long as a condition is true. */
export function continueWhile(fits: (line: string) => boolean): LineContinuation {
  const isContinued: LineContinuation = (line) => (fits(line) ? isContinued : undefined)
  return isContinued
}
