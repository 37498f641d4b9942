import type { Rule, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { canonicalRule } from '@kube-rules/compiler/internal/dataplane/iptables/canonical'
import type { OwnedRule } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { changedBy, printVerdict } from '@kube-rules/compiler/internal/dataplane/iptables/verdicts/verdicts'
import type { MakeStep, Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { IpFamily } from '@kube-rules/types'

/** Returns a function that creates the steps of matching rules of a table at one hook; each is created once. */
export function ruleSteps(table: TableName, hook: Hook, family: IpFamily): (owned: OwnedRule) => MakeStep {
  const steps = new WeakMap<Rule, Step>()
  return (owned) => () => {
    const known = steps.get(owned.rule)
    if (known !== undefined) return known
    const step: Step = { hook, by: `iptables ${table}`, ...wordsOf(owned, family) }
    steps.set(owned.rule, step)
    return step
  }
}

function wordsOf({ rule, owner }: OwnedRule, family: IpFamily): Omit<Step, 'hook' | 'by'> {
  const { chain, matches, verdict } = canonicalRule(rule, family)
  return {
    chain,
    text: printRule(rule, 'save', family),
    verdict: verdict === undefined ? '' : printVerdict(verdict, 'save').replace(/^-[jg] /, ''),
    jumpsTo: verdict?.kind === 'jump' || verdict?.kind === 'goto' ? verdict.chain : '',
    changes: verdict === undefined ? '' : changedBy(verdict),
    comment: matches.flatMap((match) => (match.kind === 'comment' ? match.text : [])).join('; '),
    owner,
  }
}
