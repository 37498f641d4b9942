/** What of a state a printed line says. */
export interface LineOrigin {
  /** Whose it is: the label its state gives it; empty for what is shared, and for lines that only hold others together. */
  readonly owner: string
  /** The id of the resource; empty for lines that only hold others together. */
  readonly place: string
  /** The rules that the line says, or a part of, as steps of a trace tell them. Absent: none. */
  readonly rules?: (() => readonly RuleAt[]) | undefined
}

/** A rule, and the id of the resource it is of. */
export interface RuleAt {
  readonly place: string
  /** As a step tells it. */
  readonly text: string
}

/** Makes a line of its text, without its end, and what it says. */
export type MakeLine<Line> = (text: string, origin: LineOrigin) => Line

/** Lines that parts of states were printed as, by the part: it is never changed, and is in the next state if nothing of it changes. */
export type KnownLines = WeakMap<object, unknown>

/** The origin of a line that only holds others together. */
export const NO_ORIGIN: LineOrigin = { owner: '', place: '' }
