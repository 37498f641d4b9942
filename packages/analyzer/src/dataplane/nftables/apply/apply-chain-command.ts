import type { ChainCommand } from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { adjustRuleChainUses, type DraftChain, type DraftTable } from './draft.js'
import {
  createMissingObjectError,
  createObjectExistsError,
  createObjectInUseError,
  type TransactionErrorReason,
} from './transaction-error.js'

export function applyChainCommand(table: DraftTable, command: ChainCommand): TransactionErrorReason | undefined {
  if ('chain' in command) return addChain(table, command.chain, command.verb)
  const chain = table.chains.get(command.name)
  if (chain === undefined)
    return command.verb === 'destroy' ? undefined : createMissingObjectError(`chain ${command.name}`)
  if (command.verb === 'flush') {
    flushChain(table, chain)
    return undefined
  }
  // `uses` includes references from the chain's own rules. This is intended, because these rules exist until the chain
  // is deleted.
  if (chain.uses > 0) return createObjectInUseError(`chain ${command.name}`)
  flushChain(table, chain)
  table.chains.delete(command.name)
  return undefined
}

function addChain(
  table: DraftTable,
  definition: Pick<DraftChain, 'name' | 'base' | 'comment'>,
  verb: 'add' | 'create',
): TransactionErrorReason | undefined {
  const { name, base, comment } = definition
  const existing = table.chains.get(name)
  if (existing === undefined) {
    const parts = { ...(base !== undefined && { base }), ...(comment !== undefined && { comment }) }
    table.chains.set(name, { name, ...parts, rules: [], uses: 0 })
    return undefined
  }
  if (verb === 'create') return createObjectExistsError(`chain ${name}`)
  if (base === undefined) return undefined
  if (existing.base === undefined)
    return { code: 'changed', message: `chain ${name} already exists and is not a base chain` }
  const { type, hook, priority } = existing.base
  if (type !== base.type || hook !== base.hook || priority !== base.priority) {
    return { code: 'changed', message: `chain ${name} already exists with another type, hook or priority` }
  }
  if (base.policy !== undefined) existing.base = { ...existing.base, policy: base.policy }
  return undefined
}

export function flushChain(table: DraftTable, chain: DraftChain): void {
  for (const rule of chain.rules) adjustRuleChainUses(table, rule, -1)
  chain.rules = []
}
