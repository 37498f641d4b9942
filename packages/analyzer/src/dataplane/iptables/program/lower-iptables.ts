import type { IptablesState, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { HOOK_PRIORITIES, HOOKS, type Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import { indexItems, type RequiredDestination } from '../../../program/index-instructions.js'
import type { BaseChain, Effect } from '../../../program/program.js'
import type { StateContext } from '../../../program/state-context.js'
import { createChainLookup, type LowerRules } from './chains-of-table.js'
import { lowerRule } from './lower-rule.js'
import { createPolicyStep } from './rule-step.js'
import type { RuleOfBlock } from './rules-of-chains.js'

/** Lowers the tables of a state: one base chain for each built-in chain. */
export function lowerIptables({ family, tables }: IptablesState, context: StateContext): readonly BaseChain[] {
  return tables.flatMap((table) => {
    const lowerRules: LowerRules = (rules, chains) => {
      const { name } = table
      const ruleContext = { name, family, lookUpSet: context.lookUpSet, chains, isBeforeTracking: name === 'raw' }
      return indexItems(rules, requiredDestination, (rule) => lowerRule(rule, ruleContext))
    }
    const chains = createChainLookup(table, context, lowerRules)
    return HOOKS.flatMap((hook) => {
      const priority = HOOK_PRIORITIES[table.name][hook]
      const chain = priority === undefined ? undefined : chains(hook)
      if (priority === undefined || chain === undefined || chain === 'ignored') return []
      return [{ hook, priority, translates: table.name === 'nat', chain, policy: policyOf(table, hook) }]
    })
  })
}

/** Returns the individual destination that a rule requires. */
function requiredDestination({ rule }: RuleOfBlock): RequiredDestination {
  let address: string | undefined
  let port: number | undefined
  for (const match of rule.matches) {
    if (match.kind === 'destination' && !match.negated) {
      const single = withoutHostPrefix(match.address)
      if (!single.includes('/')) address = single
    }
    if (match.kind === 'destinationPort' && !match.negated && match.first === match.last) port = match.first
  }
  return { address, port }
}

function policyOf({ name, policies }: Table, hook: Hook): readonly Effect[] | undefined {
  const policy = policies?.find(({ chain }) => chain === hook)?.policy
  return policy === 'DROP' ? [{ kind: 'step', step: createPolicyStep(name) }, { kind: 'drop' }] : undefined
}
