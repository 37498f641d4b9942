import type { Passage } from '../../../src/dataplane/netfilter/passages.js'

/** The lines of a text as a dump gives them to a language. */
export function passagesOf(text: string): readonly Passage[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((source, index) => ({ source, text: 0, line: index + 1, family: undefined }))
}
