import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { TranslatedAddress } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { Statement, StatementKind, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { chainId, elementId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import { ruleText } from '@kube-rules/compiler/internal/dataplane/nftables/rule-text'
import { mapOfRule, ruleWithElement, statementWithElement } from '../rule-with-element.js'
import type { TableAtHook } from './run-chain.js'

/** Returns a function that creates the steps of matching rules of a table at one hook. */
export function ruleSteps(
  { family, name }: Table,
  hook: Hook,
  owners: () => ReadonlyMap<string, string>,
): TableAtHook['stepOf'] {
  const table = { family, name }
  return (chain, rule, verdict, element) => () => {
    const set = mapOfRule(rule)
    const rewrites = verdict && REWRITES[verdict.kind]
    const ids = set === undefined || element === undefined ? [] : [elementId(table, { set, element })]
    return {
      hook,
      table: `nftables ${family} ${name}`,
      chain,
      text: ruleText(element === undefined ? rule : ruleWithElement(rule, element)),
      target:
        verdict === undefined
          ? ''
          : formatStatement(element === undefined ? verdict : statementWithElement(verdict, element)),
      jumpsTo: verdict !== undefined && 'chain' in verdict ? verdict.chain : '',
      ...(rewrites && { rewrites }),
      comment: [rule.comment, element?.comment].filter((text) => text !== undefined).join('; '),
      servicePort:
        [...ids, chainId(table, chain)].map((id) => owners().get(id)).find((owner) => owner !== undefined) ?? '',
    }
  }
}

const REWRITES: { readonly [Kind in StatementKind]?: TranslatedAddress } = { dnat: 'destination', masquerade: 'source' }

function formatStatement(statement: Statement): string {
  return ruleText({ statements: [statement] })
}
