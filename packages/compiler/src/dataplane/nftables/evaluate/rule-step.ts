import type { Hook } from '../../netfilter/hooks.js'
import type { Element, Rule, Statement, Table } from '../ast.js'
import { chainId, elementId } from '../resources.js'
import { ruleText } from '../rule-text.js'
import type { TableAtHook } from './run-chain.js'

/** Tells the steps of rules that apply in a table at one hook. */
export function ruleSteps(
  { family, name }: Table,
  hook: Hook,
  owners: () => ReadonlyMap<string, string>,
): TableAtHook['stepOf'] {
  const table = { family, name }
  return (chain, rule, verdict, element) => () => {
    const set = mapOf(rule)
    const ids = set === undefined || element === undefined ? [] : [elementId(table, { set, element })]
    return {
      hook,
      by: `nftables ${family} ${name}`,
      chain,
      text: ruleText(element === undefined ? rule : withOnly(rule, element)),
      verdict: verdict === undefined ? '' : statementText(element === undefined ? verdict : only(verdict, element)),
      jumpsTo: verdict !== undefined && 'chain' in verdict ? verdict.chain : '',
      comment: [rule.comment, element?.comment].filter((text) => text !== undefined).join('; '),
      owner: [...ids, chainId(table, chain)].map((id) => owners().get(id)).find((owner) => owner !== undefined) ?? '',
    }
  }
}

function statementText(statement: Statement): string {
  return ruleText({ statements: [statement] })
}

/** The named map by which a rule decides. */
function mapOf({ statements }: Rule): string | undefined {
  for (const statement of statements) {
    if (statement.kind === 'vmap' && statement.map.kind === 'named') return statement.map.set
  }
  return undefined
}

/** The rule with that one element of its map: maps are long, and one step tells of one element. */
function withOnly(rule: Rule, element: Element): Rule {
  return { ...rule, statements: rule.statements.map((statement) => only(statement, element)) }
}

function only(statement: Statement, element: Element): Statement {
  if (statement.kind === 'vmap') return { ...statement, map: { kind: 'anonymous', elements: [element] } }
  if (statement.kind !== 'dnat' || statement.to.kind === 'address') return statement
  return { ...statement, to: { ...statement.to, elements: [element] } }
}
