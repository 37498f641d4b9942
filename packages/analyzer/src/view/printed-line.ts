import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { RuleReference } from './view.js'

/** A line that `print` prints. JSON holds all of it. */
export interface PrintedLine {
  /** Without its end. */
  readonly text: string
  readonly language: Subsystem
  /** Whose it is: `default/web:http/TCP`; empty for what is shared or nobody's. Of several that ask for one thing, the one that has it. */
  readonly servicePort: string
  /** The id of what it says: a chain (`nat/KUBE-SERVICES`), a set, an entry, a server; empty for lines that only hold others together. */
  readonly place: string
  /** The rules it says, or a part of, as `Step`s of a trace tell them, whatever the spelling of the text. */
  readonly rules: readonly RuleReference[]
}

/**
 * The indexes of the lines that say a rule: those with its text; where there is none, and where all of its place is meant, those
 * of the place.
 */
export function linesOfRule(
  lines: readonly Pick<PrintedLine, 'text' | 'place' | 'rules'>[],
  { place, text }: RuleReference,
): readonly number[] {
  const indexes = (says: (line: (typeof lines)[number]) => boolean) =>
    lines.flatMap((line, index) => (says(line) ? [index] : []))
  const isText = (line: (typeof lines)[number]) =>
    ((place === '' || line.place === place) && line.text.trim() === text) ||
    line.rules.some((rule) => (place === '' || rule.place === place) && rule.text === text)
  const exact = text === '' ? [] : indexes(isText)
  return exact.length > 0 || place === '' ? exact : indexes((line) => line.place === place)
}
