import type { TableName, Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { canonicalizeRule } from '@kube-rules/compiler/internal/dataplane/iptables/canonical'
import type { RuleWithOwner } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { printTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/targets'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { IpFamily } from '@kube-rules/types'
import type { PathStep, StepFactory, TranslatedField } from '../../../program/steps.js'

/** The table of a rule. */
export interface RuleTable {
  readonly name: TableName
  readonly family: IpFamily
}

/** Creates the steps of a matching rule. Successive calls for the same hook return the same step. */
export function createRuleStep(owned: RuleWithOwner, { name, family }: RuleTable): StepFactory {
  let last: PathStep | undefined
  return (hook) => {
    if (last?.hook !== hook) last = { hook, table: `iptables ${name}`, ...describeRule(owned, family) }
    return last
  }
}

function describeRule({ rule, owner: servicePort }: RuleWithOwner, family: IpFamily): Omit<PathStep, 'hook' | 'table'> {
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

/** For each target that translates packets, the address that it changes. The keys are kinds and names of targets. */
const TRANSLATED_FIELDS: ReadonlyMap<string, TranslatedField> = new Map([
  ['masquerade', 'source'],
  ['dnat', 'destination'],
  ['redirect', 'destination'],
  ['MASQUERADE', 'source'],
  ['SNAT', 'source'],
  ['DNAT', 'destination'],
  ['REDIRECT', 'destination'],
])

function translatedFieldOf(target: Target): TranslatedField | undefined {
  return TRANSLATED_FIELDS.get(target.kind === 'unknown' ? (target.words[1] ?? '') : target.kind)
}

const POLICY = { text: 'policy DROP', target: 'DROP', jumpsTo: '', comment: 'policy', servicePort: '' } as const

/** Creates the step of a packet that the policy of a built-in chain drops. */
export function createPolicyStep(table: TableName): StepFactory {
  return (hook: Hook) => ({ ...POLICY, hook, table: `iptables ${table}`, chain: hook })
}
