import type { Element, Rule, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { chainId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import { ruleText } from '@kube-rules/compiler/internal/dataplane/nftables/rule-text'
import type { LineOrigin, RuleAt } from '../../netfilter/line-origin.js'
import { elementsOfRule, mapOfRule, ruleWithElement } from '../rule-with-element.js'

/** The content of a line of a table. */
export interface LineContent extends Omit<LineOrigin, 'owner'> {
  /** The ids of all content, for the lookup of owners. */
  readonly places: readonly string[]
}

/** The content of a structural line. */
export const EMPTY_LINE_CONTENT: LineContent = { location: '', places: [] }

export function lineContentOf(location: string, rules?: () => readonly RuleAt[]): LineContent {
  return { location, places: [location], ...(rules && { rules }) }
}

/** Returns a rule in the format of trace steps, also with each single element of its inline map. */
export function rulesOfRule(table: Table, chain: string, rule: Rule): readonly RuleAt[] {
  const location = chainId(table, chain)
  const withElements = elementsOfRule(rule).map((element) => ruleWithElement(rule, element))
  return [rule, ...withElements].map((each) => ({ location, text: ruleText(each) }))
}

/**
 * Returns the rules with a lookup in a named map, by its name. Trace steps contain them with one element of the map.
 */
export function rulesByMap(table: Table): (map: string, elements: readonly Element[]) => readonly RuleAt[] {
  const deciding = table.chains.flatMap(({ name, rules }) =>
    rules.flatMap((rule) => {
      const map = mapOfRule(rule)
      return map === undefined ? [] : [{ map, rule, place: chainId(table, name) }]
    }),
  )
  return (map, elements) =>
    deciding
      .filter((each) => each.map === map)
      .flatMap(({ rule, place: location }) =>
        elements.map((element) => ({ location, text: ruleText(ruleWithElement(rule, element)) })),
      )
}
