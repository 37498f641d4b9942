/** The origin of a printed line in a state. */
export interface LineOrigin {
  /** The owner according to the state; empty for shared content and for structural lines such as `COMMIT`. */
  readonly owner: string
  /** The id of the resource; empty for structural lines. */
  readonly location: string
  /** The rules on the line, complete or in part, in the format of trace steps. Absent for a line without rules. */
  readonly rules?: (() => readonly RuleWithId[]) | undefined
}

/** A rule, with the id of its resource. */
export interface RuleWithId {
  readonly location: string
  /** The rule in the format of a trace step. */
  readonly text: string
}

/** Creates a line from its text, without a newline, and its origin. */
export type LineFactory<Line> = (text: string, origin: LineOrigin) => Line

/**
 * A cache of printed lines, by part of a state. Parts are immutable, and an unchanged part is reused in the next state.
 */
export type LineCache = WeakMap<object, unknown>

/** The origin of a structural line. */
export const NO_ORIGIN: LineOrigin = { owner: '', location: '' }
