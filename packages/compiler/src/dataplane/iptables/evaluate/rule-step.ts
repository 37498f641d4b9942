import type { IpFamily } from '@kube-rules/types'
import type { MakeStep, Step } from '../../netfilter/branch.js'
import type { Hook } from '../../netfilter/hooks.js'
import type { Rule, TableName } from '../ast.js'
import { canonicalRule } from '../canonical.js'
import type { OwnedRule } from '../chains.js'
import { printRule } from '../print/print.js'
import { changedBy, printVerdict } from '../verdicts/verdicts.js'

/** Tells the steps of rules that apply in a table at one hook, each made once. */
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
