import type { Element, Rule, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { LineOrigin, RuleWithId } from '../../netfilter/line-origin.js'
import { elementsOfRule, mapOfRule, restrictRuleToElement } from '../rule-with-element.js'

/** The content of a line of a table. */
export interface LineContent extends Omit<LineOrigin, 'owner'> {
  /** The ids of all content, for the lookup of owners. */
  readonly places: readonly string[]
}

/** The content of a structural line. */
export const EMPTY_LINE_CONTENT: LineContent = { location: '', places: [] }

export function createLineContent(location: string, rules?: () => readonly RuleWithId[]): LineContent {
  return { location, places: [location], ...(rules && { rules }) }
}

/** Returns a rule in the format of trace steps: once complete, and once with each single element of its inline map. */
export function listTraceRules(table: Table, chain: string, rule: Rule): readonly RuleWithId[] {
  const location = formatChainId(table, chain)
  const withElements = elementsOfRule(rule).map((element) => restrictRuleToElement(rule, element))
  return [rule, ...withElements].map((each) => ({ location, text: formatNftRule(each) }))
}

/**
 * Returns the rules with a lookup in a named map, by its name. Trace steps contain them with one element of the map.
 */
export function createMapRuleFinder(
  table: Table,
): (map: string, elements: readonly Element[]) => readonly RuleWithId[] {
  const deciding = table.chains.flatMap(({ name, rules }) =>
    rules.flatMap((rule) => {
      const map = mapOfRule(rule)
      return map === undefined ? [] : [{ map, rule, place: formatChainId(table, name) }]
    }),
  )
  return (map, elements) =>
    deciding
      .filter((each) => each.map === map)
      .flatMap(({ rule, place: location }) =>
        elements.map((element) => ({ location, text: formatNftRule(restrictRuleToElement(rule, element)) })),
      )
}
