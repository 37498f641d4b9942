import type { IptablesState, Rule, Table, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { canonicalizeRule } from '@kube-rules/compiler/internal/dataplane/iptables/canonical'
import type { RuleWithOwner } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { printTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/targets'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import { createHookPacketFactory } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import { HOOK_PRIORITIES, HOOKS, type Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { MatchedDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import type { IpFamily } from '@kube-rules/types'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import { leaveBaseChain } from '../../netfilter/chain-result.js'
import { visitNatHandler } from '../../netfilter/decision.js'
import {
  DROPPED_VERDICT,
  type HandlerResult,
  type HookHandler,
  NEXT_VERDICT,
  type PathState,
  type PathStep,
  type StepFactory,
  withStep,
  withVerdict,
} from '../../netfilter/path-state.js'
import { translatedFieldOf } from './evaluate-target.js'
import { createMissingContentLookup } from './missing.js'
import { runChain, runRule, type TableAtHook } from './run-chain.js'
import { indexRulesByChain } from './table-index.js'

/** Creates the hook handlers for the tables of a state: one per built-in chain. */
export function createIptablesHookHandlers(state: IptablesState, facts: EvaluationContext): readonly HookHandler[] {
  return state.tables.flatMap((table) => {
    const chain = indexRulesByChain(table)
    const missing = facts.coverage === undefined ? undefined : createMissingContentLookup(table, facts.coverage)
    return HOOKS.flatMap((hook) => {
      const priority = HOOK_PRIORITIES[table.name][hook]
      const atHook: TableAtHook = {
        name: table.name,
        family: state.family,
        hook,
        facts,
        passageOf: createHookPacketFactory(hook),
        chain,
        missing,
        stepOf: createRuleStepFactory(table.name, hook, state.family),
        runRule: (owned, branch, path) => runRule(atHook, owned, branch, path),
      }
      return priority === undefined
        ? []
        : [{ hook, priority, visit: (branch: PathState) => visit(table, atHook, branch) }]
    })
  })
}

function visit(table: Table, atHook: TableAtHook, branch: PathState): readonly HandlerResult[] {
  const atEnd = (last: PathState) => followPolicy(table, atHook, last)
  const command = (path: PathState) => runChain(atHook, atHook.hook, path).map((ran) => leaveBaseChain(ran, atEnd))
  return table.name === 'nat' ? visitNatHandler(atHook.hook, branch, command) : command(branch)
}

const POLICY = {
  text: 'policy DROP',
  target: 'DROP',
  jumpsTo: '',
  comment: 'policy',
  servicePort: '',
} as const

/** Applies the policy at the end of a built-in chain. */
function followPolicy({ name, policies }: Table, { hook }: TableAtHook, branch: PathState): HandlerResult {
  const policy = policies?.find(({ chain }) => chain === hook)?.policy
  if (policy !== 'DROP') return withVerdict(branch, NEXT_VERDICT)
  return withVerdict(
    withStep(branch, () => ({ ...POLICY, hook, table: `iptables ${name}`, chain: hook })),
    DROPPED_VERDICT,
  )
}

/** Yields the addresses in `-d` options. Ports are not included, because rules match on ports separately. */
export function* destinationsOfRules({ tables }: IptablesState): Iterable<MatchedDestination> {
  for (const { jumps, blocks } of tables) {
    yield* destinationsOf(jumps)
    for (const block of blocks) yield* destinationsOf(getBlockRules(block))
  }
}

function* destinationsOf(rules: readonly Rule[]): Iterable<MatchedDestination> {
  for (const { matches } of rules) {
    for (const match of matches) if (match.kind === 'destination') yield { address: withoutHostPrefix(match.address) }
  }
}

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
