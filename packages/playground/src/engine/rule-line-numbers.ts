import { findRuleLines, type RuleReference, type View } from '@kube-rules/analyzer/view'
import type { TextLine } from '@kube-rules/application/print'

/** The line numbers of a text by rule text or location. */
export type RuleLineNumbers = Readonly<Record<string, readonly number[]>>

/** Returns the key of a rule in `RuleLineNumbers`. */
export function createRuleKey({ location, text }: RuleReference): string {
  return text === '' ? location : text
}

/** The maximum number of selectable rules. The page shows no lines for further rules. */
const MOST_RULES = 5_000

/** Maximum number of lines to search for one rule. */
const MOST_LINES = 5_000

/** Finds the lines of the rules that a view refers to, and of more rules; line numbers start at 0. */
export function findRuleLineNumbers(
  lines: readonly TextLine[],
  view: View,
  more: readonly RuleReference[] = [],
): RuleLineNumbers {
  const rules = [...rulesOf(view), ...more].slice(0, MOST_RULES)
  const byPlace = new Map<string, number[]>(rules.map(({ location }) => [location, []]))
  for (const [index, { location }] of lines.entries()) byPlace.get(location)?.push(index)
  const linesByRule = new Map<string, readonly number[]>()
  for (const rule of rules) {
    const key = createRuleKey(rule)
    if (!linesByRule.has(key)) linesByRule.set(key, linesOf(rule, lines, byPlace))
  }
  return Object.fromEntries(linesByRule)
}

/** Searches the lines at the location of the rule first, because the text has many lines. */
function linesOf(
  rule: RuleReference,
  lines: readonly TextLine[],
  byPlace: ReadonlyMap<string, readonly number[]>,
): readonly number[] {
  const near = byPlace.get(rule.location) ?? []
  const ruleLines = findRuleLines(
    near.flatMap((index) => lines[index] ?? []),
    rule,
  ).flatMap((index) => near[index] ?? [])
  return ruleLines.length > 0 || lines.length > MOST_LINES ? ruleLines : findRuleLines(lines, rule)
}

function rulesOf(view: View): readonly RuleReference[] {
  return view.flatMap(({ rules, children }) => [...rules, ...rulesOf(children)])
}
