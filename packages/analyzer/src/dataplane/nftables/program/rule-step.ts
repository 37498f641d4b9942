import type { Element, Rule } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { formatChainId, formatElementId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { TableKey } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import type { StepFactory, TranslatedField } from '../../../program/steps.js'
import { restrictRuleToElement, restrictStatementToElement, verdictMapOfRule } from '../rule-with-element.js'
import type { Clause } from './clause.js'

/** A rule in a chain of a table. */
export interface RulePlace {
  readonly table: TableKey
  readonly chain: string
  readonly rule: Rule
  /** The labels of chains and elements, by id. */
  readonly owners: () => ReadonlyMap<string, string>
}

/**
 * Creates the step of a rule that takes effect. `clause` is the statement with the effect, and `element` the element of
 * its map that matches.
 */
export function createRuleStep(
  { table, chain, rule, owners }: RulePlace,
  clause: Clause | undefined,
  element?: Element,
): StepFactory {
  return (hook) => {
    const set = verdictMapOfRule(rule)
    const ids = set === undefined || element === undefined ? [] : [formatElementId(table, { set, element })]
    const rewrites = clause === undefined ? undefined : translatedFieldOf(clause)
    return {
      hook,
      table: `nftables ${table.family} ${table.name}`,
      chain,
      text: formatNftRule(element === undefined ? rule : restrictRuleToElement(rule, element)),
      target: clause === undefined ? '' : formatClause(clause, element),
      jumpsTo: chainOfVerdict(clause, element),
      ...(rewrites && { rewrites }),
      comment: [rule.comment, element?.comment].filter((text) => text !== undefined).join('; '),
      servicePort:
        [...ids, formatChainId(table, chain)].map((id) => owners().get(id)).find((owner) => owner !== undefined) ?? '',
    }
  }
}

/** Formats one statement of a rule, with only the given element of its map. */
export function formatClause(clause: Clause, element?: Element): string {
  if ('text' in clause) return clause.text
  const { source } = clause
  if (element?.verdict !== undefined) return formatNftRule({ statements: [element.verdict] })
  return formatNftRule({
    statements: [element === undefined ? source : restrictStatementToElement(source, element)],
  })
}

function chainOfVerdict(clause: Clause | undefined, element: Element | undefined): string {
  const verdict = element?.verdict ?? (clause?.kind === 'verdict' ? clause.verdict : undefined)
  return verdict !== undefined && 'chain' in verdict ? verdict.chain : ''
}

function translatedFieldOf(clause: Clause): TranslatedField | undefined {
  if (clause.kind !== 'translate') return undefined
  return clause.statement === 'dnat' || clause.statement === 'redirect' ? 'destination' : 'source'
}
