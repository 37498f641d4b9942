/** One file, or standard input, as text. */
export interface TextSource {
  /** The name for messages. */
  readonly name: string
  readonly text: string
}
