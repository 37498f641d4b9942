import type { IpFamily } from '@kube-rules/types'
import type { Change } from '../diff/patch.js'
import type { Comparison, Custody } from './comparison.js'
import type { PrintOptions, ScriptOptions } from './language.js'
import type { Place } from './netfilter/asked.js'
import type { Station, Step } from './netfilter/branch.js'
import type { DumpLines, LinesEnd, ReadLines } from './netfilter/dump-lines.js'
import type { Known } from './netfilter/fragment.js'
import type { Knowledge } from './netfilter/knowledge.js'
import type { KnownLines, MakeLine } from './netfilter/line-origin.js'
import type { StateParts } from './netfilter/parts.js'
import type { PastedReader } from './netfilter/pasted.js'
import type { PhasedRun } from './netfilter/run.js'

/** What one line by itself does with packets. */
export interface LineEffect {
  /** It refuses or drops them. */
  readonly refuses: boolean
  /** Where it sends them: `10.244.1.1:8080`; several places where it draws lots. */
  readonly sendsTo: readonly string[]
  /** It sends nobody there who has not been there before. */
  readonly takesNoMore: boolean
  /** The line as it stands in what the tool prints. */
  readonly rule: string
}

/**
 * The half of a language that deals with a node: reads what its tools print, runs them, follows packets, and compares what
 * is there with what is wanted. `Item` is what a comparison finds fault with, one by one; `Code` is what a problem of a text
 * may have.
 */
export interface LiveLanguage<State, Item, Code extends string = string> {
  /** What its tools print, for people: `what ipset save prints`. */
  readonly printedBy: string
  /** Which lines of a dump belong to one that begins so; undefined for a line that is not of this language. */
  begins(line: string): LinesEnd | undefined
  /** What a comment line says of the family of what follows: `unknown` takes back what was said. Undefined: nothing. */
  headingOf?(line: string): IpFamily | 'unknown' | undefined
  /** Never throws. `family` is that of lines that do not tell it themselves. */
  read(lines: readonly DumpLines[], family: IpFamily): ReadLines<State, Code>
  /** How it reads what people paste, where less is sure. Absent: not at all. */
  readonly pasted?: PastedReader<State, Code> | undefined
  /** Every code that a problem of `read` may have. */
  readonly problemCodes: readonly Code[]

  /** The normal form: states that the kernel cannot tell apart have equal ones. */
  canonical(state: State): State

  /** Whether its tool applies its input line by line, so that two runs that follow one another may be one. */
  readonly appliesByLine: boolean
  /** The runs of tools that carry out changes of its resources. */
  script(changes: readonly Change[], options: ScriptOptions): readonly PhasedRun[]

  /** What a line that its tool prints does with packets; absent where no line by itself tells. */
  effectOf?(line: string, state: State | undefined): LineEffect
  /** The index of the line that says a rule, or makes the thing with an id; absent where nobody asks. */
  lineOfRule?(rule: string, lines: readonly string[]): number | undefined

  /** Who looks at packets on their way; a language of which others ask has none. */
  stations(state: State, knowledge: Knowledge): readonly Station[]
  /** The id of the resource whose rule applied in a step, of one that its stations have told. Absent: it has no stations. */
  placeOf?(step: Step): string | undefined
  /** What its rules name as destinations, one after another. */
  places(state: State): Iterable<Place>
  /** What the state is made of, and where packets may meet it; undefined where that cannot be told. Absent: it never can. */
  partsOf?(state: State): StateParts | undefined
  /**
   * Whether whoever has this much of the language has asked the tool that would print all of it, so that there is nothing of
   * it beside the chains, sets and servers that are there or named. Absent: nobody does so.
   */
  isAllAsked?(state: State | undefined, known: Known): boolean
  /** Whether packets come to what it holds only by addresses that are bound to the node for it. Absent: no. */
  readonly needsAddresses?: boolean | undefined
  /** What the state tells the rules of other languages. */
  knows(state: State): Partial<Knowledge>

  /**
   * What `print` prints of the state, line by line, each made by `make`. What `known` has of parts of the state is not printed again:
   * it must be of the same options and the same `make`.
   */
  linesOf<Line>(state: State, options: PrintOptions, make: MakeLine<Line>, known: KnownLines): readonly Line[]

  /** What its states are made of, for people: `sets`. */
  readonly madeOf: string
  /** Compares what is wanted with what a node holds. */
  compare(wanted: State, live: State, custody: Custody<State, Item>): Comparison
}
