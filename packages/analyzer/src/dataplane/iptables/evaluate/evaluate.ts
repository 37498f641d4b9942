import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { blockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { HOOK_PRIORITIES, HOOKS } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KnownFacts } from '@kube-rules/compiler/internal/dataplane/netfilter/known-facts'
import {
  DROPPED,
  endVisit,
  type HandlerResult,
  type HookHandler,
  NEXT,
  type PathState,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { MatchedDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import { withoutHostPrefix } from '@kube-rules/types'
import { leaveBaseChain } from '../../netfilter/chain-run.js'
import { visitToTranslate } from '../../netfilter/decision.js'
import { missingChainParts } from './missing.js'
import { ruleSteps } from './rule-step.js'
import { runChain, type TableAtHook } from './run-chain.js'
import { rulesByChain } from './table-index.js'

/** Creates the hook handlers for the tables of a state: one per built-in chain. */
export function iptablesHookHandlers(state: IptablesState, facts: KnownFacts): readonly HookHandler[] {
  return state.tables.flatMap((table) => {
    const chain = rulesByChain(table)
    const missing = facts.known === undefined ? undefined : missingChainParts(table, facts.known)
    return HOOKS.flatMap((hook) => {
      const priority = HOOK_PRIORITIES[table.name][hook]
      const atHook = {
        name: table.name,
        family: state.family,
        hook,
        facts,
        chain,
        missing,
        stepOf: ruleSteps(table.name, hook, state.family),
      }
      return priority === undefined
        ? []
        : [{ hook, priority, visit: (branch: PathState) => visit(table, atHook, branch) }]
    })
  })
}

function visit(table: Table, atHook: TableAtHook, branch: PathState): readonly HandlerResult[] {
  const command = (path: PathState) =>
    runChain(atHook, atHook.hook, path).map((ran) => leaveBaseChain(ran, (last) => followPolicy(table, atHook, last)))
  return table.name === 'nat' ? visitToTranslate(atHook.hook, branch, command) : command(branch)
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
  if (policy !== 'DROP') return endVisit(branch, NEXT)
  return endVisit(
    withStep(branch, () => ({ ...POLICY, hook, table: `iptables ${name}`, chain: hook })),
    DROPPED,
  )
}

/** Yields the addresses after `-d`. Rules match on ports individually. */
export function* destinationsOfRules({ tables }: IptablesState): Iterable<MatchedDestination> {
  for (const { jumps, blocks } of tables) {
    yield* destinationsOf(jumps)
    for (const block of blocks) yield* destinationsOf(blockRules(block))
  }
}

function* destinationsOf(rules: readonly Rule[]): Iterable<MatchedDestination> {
  for (const { matches } of rules) {
    for (const match of matches) if (match.kind === 'destination') yield { address: withoutHostPrefix(match.address) }
  }
}
