import { linesOfRule, type RuleReference, type View } from '@kube-rules/analyzer/view'
import type { TextLine } from '@kube-rules/application/print'

/** For the words of a rule, or of a place, the lines of a text that say it. */
export type LinesOfRules = Readonly<Record<string, readonly number[]>>

/** What a rule is looked up by in `LinesOfRules`. */
export function ruleKey({ place, text }: RuleReference): string {
  return text === '' ? place : text
}

/** Rules that can be chosen: of more a page shows no lines. */
const MOST_RULES = 5_000

/** So many lines are looked through for one rule. */
const MOST_LINES = 5_000

/** The lines, counted from 0, that say the rules of a view. */
export function linesOfRules(lines: readonly TextLine[], view: View): LinesOfRules {
  const rules = rulesOf(view).slice(0, MOST_RULES)
  const byPlace = new Map<string, number[]>(rules.map(({ place }) => [place, []]))
  for (const [index, { place }] of lines.entries()) byPlace.get(place)?.push(index)
  const found = new Map<string, readonly number[]>()
  for (const rule of rules) {
    const key = ruleKey(rule)
    if (!found.has(key)) found.set(key, linesOf(rule, lines, byPlace))
  }
  return Object.fromEntries(found)
}

/** Looks at the lines of the place first: all of them are many. */
function linesOf(
  rule: RuleReference,
  lines: readonly TextLine[],
  byPlace: ReadonlyMap<string, readonly number[]>,
): readonly number[] {
  const near = byPlace.get(rule.place) ?? []
  const found = linesOfRule(
    near.flatMap((index) => lines[index] ?? []),
    rule,
  ).flatMap((index) => near[index] ?? [])
  return found.length > 0 || lines.length > MOST_LINES ? found : linesOfRule(lines, rule)
}

function rulesOf(view: View): readonly RuleReference[] {
  return view.flatMap(({ rules, children }) => [...rules, ...rulesOf(children)])
}
