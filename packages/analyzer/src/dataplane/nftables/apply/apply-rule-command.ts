import type { Rule } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { RuleCommand } from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { chainsOfRule, countersOfRule, setsOfRule } from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { adjustRuleChainUses, type DraftChain, type DraftTable } from './draft.js'
import { checkJumpTarget, createMissingObjectError, type TransactionErrorReason } from './transaction-error.js'

export function applyRuleCommand(table: DraftTable, command: RuleCommand): TransactionErrorReason | undefined {
  const chain = table.chains.get(command.chain)
  if (chain === undefined)
    return command.verb === 'destroy' ? undefined : createMissingObjectError(`chain ${command.chain}`)
  switch (command.verb) {
    case 'add':
    case 'insert': {
      const { rule, verb, beside } = command
      const reason = reasonAgainstRule(table, rule)
      if (reason !== undefined) return reason
      const besideIndex = beside === undefined ? -1 : indexOf(chain, beside)
      if (beside !== undefined && besideIndex < 0)
        return createMissingObjectError(`rule with handle ${beside} in chain ${chain.name}`)
      const index =
        beside === undefined
          ? verb === 'add'
            ? chain.rules.length
            : 0
          : verb === 'add'
            ? besideIndex + 1
            : besideIndex
      chain.rules.splice(index, 0, rule)
      adjustRuleChainUses(table, rule, 1)
      return undefined
    }
    default: {
      const index = indexOf(chain, command.handle)
      const old = chain.rules[index]
      if (old === undefined) {
        const isAllowed = command.verb === 'destroy'
        return isAllowed
          ? undefined
          : createMissingObjectError(`rule with handle ${command.handle} in chain ${chain.name}`)
      }
      const added = command.verb === 'replace' ? [command.rule] : []
      for (const rule of added) {
        const reason = reasonAgainstRule(table, rule)
        if (reason !== undefined) return reason
        adjustRuleChainUses(table, rule, 1)
      }
      adjustRuleChainUses(table, old, -1)
      chain.rules.splice(index, 1, ...added)
      return undefined
    }
  }
}

function indexOf(chain: DraftChain, handle: number): number {
  return chain.rules.findIndex((rule) => rule.handle === handle)
}

function reasonAgainstRule(table: DraftTable, rule: Rule): TransactionErrorReason | undefined {
  for (const chain of chainsOfRule(rule)) {
    const reason = checkJumpTarget(table, chain)
    if (reason !== undefined) return reason
  }
  for (const set of setsOfRule(rule)) if (!table.sets.has(set)) return createMissingObjectError(`set or map ${set}`)
  for (const counter of countersOfRule(rule)) {
    if (!table.objects.has(`counter ${counter}`)) return createMissingObjectError(`counter ${counter}`)
  }
  return undefined
}
