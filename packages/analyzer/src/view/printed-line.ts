import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'
import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { RuleReference } from './view.js'

/** A line of the `print` output. Plain data that survives a JSON round trip. */
export interface PrintedLine {
  /** The text without the line end. */
  readonly text: string
  /** The subsystem that the line belongs to. */
  readonly subsystem: Subsystem
  /**
   * The owner: `default/web:http/TCP`. Empty for shared or unowned lines. If several service ports claim a resource,
   * the owner is the service port that gets it.
   */
  readonly servicePort: string
  /**
   * The id of the resource on the line: a chain (`nat/KUBE-SERVICES`), a set, an entry or a server. Empty for
   * structural lines.
   */
  readonly location: string
  /**
   * The id of the resource on the line: a chain (`nat/KUBE-SERVICES`), a set, an entry or a server. Empty for lines
   * without a resource, such as `COMMIT`.
   */
  readonly rules: readonly RuleReference[]
}

/**
 * Returns the indexes of the lines with a rule. If the reference has no rule text, returns the lines of the whole
 * resource.
 */
export function findRuleLines(
  lines: readonly Pick<PrintedLine, 'text' | 'location' | 'rules'>[],
  rule: RuleReference,
): readonly number[] {
  const expected = 'lines of printLines'
  const references = [{ location: 'text', text: 'text' }] as const
  checkShape('lines', lines, [{ text: 'text', location: 'text', rules: references }], expected)
  checkShape('rule', rule, references[0], 'a rule reference')
  const { location, text } = rule
  const indexes = (says: (line: (typeof lines)[number]) => boolean) =>
    lines.flatMap((line, index) => (says(line) ? [index] : []))
  const isText = (line: (typeof lines)[number]) =>
    ((location === '' || line.location === location) && line.text.trim() === text) ||
    line.rules.some((each) => (location === '' || each.location === location) && each.text === text)
  const exact = text === '' ? [] : indexes(isText)
  return exact.length > 0 || location === '' ? exact : indexes((line) => line.location === location)
}
