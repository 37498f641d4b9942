import type { Element, Rule, Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'

/** Returns the named map that a rule looks up. */
export function verdictMapOfRule({ statements }: Rule): string | undefined {
  for (const statement of statements) {
    if (statement.kind === 'vmap' && statement.map.kind === 'named') return statement.map.set
  }
  return undefined
}

/** Returns the elements of the inline maps of a rule. */
export function anonymousElementsOfRule({ statements }: Rule): readonly Element[] {
  return statements.flatMap((statement) => {
    if (statement.kind === 'vmap') return statement.map.kind === 'anonymous' ? statement.map.elements : []
    return statement.kind === 'dnat' && statement.to.kind === 'map' ? statement.to.elements : []
  })
}

/**
 * Returns the rule with only the given element of its map. A map may be long, but a trace step concerns only one
 * element.
 */
export function restrictRuleToElement(rule: Rule, element: Element): Rule {
  return { ...rule, statements: rule.statements.map((statement) => restrictStatementToElement(statement, element)) }
}

export function restrictStatementToElement(statement: Statement, element: Element): Statement {
  if (statement.kind === 'vmap') return { ...statement, map: { kind: 'anonymous', elements: [element] } }
  if (statement.kind !== 'dnat' || statement.to.kind === 'address') return statement
  return { ...statement, to: { ...statement.to, elements: [element] } }
}
