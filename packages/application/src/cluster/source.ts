/** One file, or standard input, as text. */
export interface Source {
  /** For messages. */
  readonly name: string
  readonly text: string
}
