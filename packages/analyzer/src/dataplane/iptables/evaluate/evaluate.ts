import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { rulesIn } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import type { Place } from '@kube-rules/compiler/internal/dataplane/netfilter/asked'
import {
  type Branch,
  type Departed,
  DROPPED,
  depart,
  NEXT,
  type Station,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { HOOK_PRIORITIES, HOOKS } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import { withoutHostPrefix } from '@kube-rules/types'
import { visitToTranslate } from '../../netfilter/decision.js'
import { leave } from '../../netfilter/ran.js'
import { missingOfChains } from './missing.js'
import { ruleSteps } from './rule-step.js'
import { runChain, type TableAtHook } from './run-chain.js'
import { rulesByChain } from './table-index.js'

/** Creates the hook handlers for the tables of a state: one per built-in chain. */
export function iptablesStations(state: IptablesState, knowledge: Knowledge): readonly Station[] {
  return state.tables.flatMap((table) => {
    const chain = rulesByChain(table)
    const missing = knowledge.known === undefined ? undefined : missingOfChains(table, knowledge.known)
    return HOOKS.flatMap((hook) => {
      const priority = HOOK_PRIORITIES[table.name][hook]
      const atHook = {
        name: table.name,
        family: state.family,
        hook,
        knowledge,
        chain,
        missing,
        stepOf: ruleSteps(table.name, hook, state.family),
      }
      return priority === undefined ? [] : [{ hook, priority, visit: (branch: Branch) => visit(table, atHook, branch) }]
    })
  })
}

function visit(table: Table, atHook: TableAtHook, branch: Branch): readonly Departed[] {
  const run = (way: Branch) =>
    runChain(atHook, atHook.hook, way).map((ran) => leave(ran, (last) => followPolicy(table, atHook, last)))
  return table.name === 'nat' ? visitToTranslate(atHook.hook, branch, run) : run(branch)
}

const POLICY = { text: 'policy DROP', verdict: 'DROP', jumpsTo: '', changes: '', comment: 'policy', owner: '' } as const

/** Applies the policy at the end of a built-in chain. */
function followPolicy({ name, policies }: Table, { hook }: TableAtHook, branch: Branch): Departed {
  const policy = policies?.find(({ chain }) => chain === hook)?.policy
  if (policy !== 'DROP') return depart(branch, NEXT)
  return depart(
    withStep(branch, () => ({ ...POLICY, hook, by: `iptables ${name}`, chain: hook })),
    DROPPED,
  )
}

/** Yields the addresses after `-d`. Rules match on ports individually. */
export function* placesOfRules({ tables }: IptablesState): Iterable<Place> {
  for (const { jumps, blocks } of tables) {
    yield* destinationsOf(jumps)
    for (const block of blocks) yield* destinationsOf(rulesIn(block))
  }
}

function* destinationsOf(rules: readonly Rule[]): Iterable<Place> {
  for (const { matches } of rules) {
    for (const match of matches) if (match.kind === 'destination') yield { address: withoutHostPrefix(match.address) }
  }
}
