import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { TranslatedField } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { Statement, StatementKind, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { formatChainId, formatElementId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import { restrictRuleToElement, restrictStatementToElement, verdictMapOfRule } from '../rule-with-element.js'
import type { TableAtHook } from './rule-at.js'

/** Returns a function that creates the steps of matching rules of a table at one hook. */
export function createRuleStepFactory(
  { family, name }: Table,
  hook: Hook,
  owners: () => ReadonlyMap<string, string>,
): TableAtHook['stepOf'] {
  const table = { family, name }
  return (chain, rule, verdict, element) => () => {
    const set = verdictMapOfRule(rule)
    const rewrites = verdict && REWRITES[verdict.kind]
    const ids = set === undefined || element === undefined ? [] : [formatElementId(table, { set, element })]
    return {
      hook,
      table: `nftables ${family} ${name}`,
      chain,
      text: formatNftRule(element === undefined ? rule : restrictRuleToElement(rule, element)),
      target:
        verdict === undefined
          ? ''
          : formatStatement(element === undefined ? verdict : restrictStatementToElement(verdict, element)),
      jumpsTo: verdict !== undefined && 'chain' in verdict ? verdict.chain : '',
      ...(rewrites && { rewrites }),
      comment: [rule.comment, element?.comment].filter((text) => text !== undefined).join('; '),
      servicePort:
        [...ids, formatChainId(table, chain)].map((id) => owners().get(id)).find((owner) => owner !== undefined) ?? '',
    }
  }
}

const REWRITES: { readonly [Kind in StatementKind]?: TranslatedField } = { dnat: 'destination', masquerade: 'source' }

function formatStatement(statement: Statement): string {
  return formatNftRule({ statements: [statement] })
}
