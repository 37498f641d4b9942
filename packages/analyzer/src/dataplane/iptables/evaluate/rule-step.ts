import type { Rule, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { canonicalizeRule } from '@kube-rules/compiler/internal/dataplane/iptables/canonical'
import type { RuleWithOwner } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { printTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/targets'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { PathStep, StepFactory } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { IpFamily } from '@kube-rules/types'
import { translatedFieldOf } from './evaluate-target.js'

/**
 * Returns a function that creates the steps of matching rules of a table at one hook. The step of each rule is created
 * only once.
 */
export function createRuleStepFactory(
  table: TableName,
  hook: Hook,
  family: IpFamily,
): (owned: RuleWithOwner) => StepFactory {
  const steps = new WeakMap<Rule, PathStep>()
  return (owned) => () => {
    const existing = steps.get(owned.rule)
    if (existing !== undefined) return existing
    const step: PathStep = { hook, table: `iptables ${table}`, ...wordsOf(owned, family) }
    steps.set(owned.rule, step)
    return step
  }
}

function wordsOf({ rule, owner: servicePort }: RuleWithOwner, family: IpFamily): Omit<PathStep, 'hook' | 'table'> {
  const { chain, matches, target } = canonicalizeRule(rule, family)
  const rewrites = target && translatedFieldOf(target)
  return {
    chain,
    text: printRule(rule, 'save', family),
    target: target === undefined ? '' : printTarget(target, 'save').replace(/^-[jg] /, ''),
    jumpsTo: target?.kind === 'jump' || target?.kind === 'goto' ? target.chain : '',
    ...(rewrites && { rewrites }),
    comment: matches.flatMap((match) => (match.kind === 'comment' ? match.text : [])).join('; '),
    servicePort,
  }
}
