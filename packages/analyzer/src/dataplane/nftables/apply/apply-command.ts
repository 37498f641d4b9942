import type { Rule } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type {
  ChainCommand,
  CommandTable,
  NftCommand,
  ObjectCommand,
  RuleCommand,
  TableCommand,
} from '@kube-rules/compiler/internal/dataplane/nftables/command'
import { chainsOfRule, countersOfRule, setsOfRule } from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { applyElementCommand, applySetCommand } from './apply-set-command.js'
import { adjustRuleChainUses, type DraftChain, type DraftTable, formatObjectKey } from './draft.js'
import {
  checkJumpTarget,
  createMissingObjectError,
  createObjectExistsError,
  createObjectInUseError,
  type TransactionErrorReason,
} from './transaction-error.js'

/** The tables of a namespace during a transaction, by the key that `formatTableKey` returns. */
export type DraftTables = Map<string, DraftTable>

export function formatTableKey({ family, table }: CommandTable): string {
  return `${family} ${table}`
}

/** Executes one command as the kernel would. A rejected command may leave the drafts partly changed. */
export function applyCommand(drafts: DraftTables, command: NftCommand): TransactionErrorReason | undefined {
  if (command.object === 'ruleset') return flushRuleset(drafts, command.family)
  if (command.object === 'table') return applyToTable(drafts, command)
  const table = drafts.get(formatTableKey(command))
  if (table === undefined)
    return command.verb === 'destroy' ? undefined : createMissingObjectError(`table ${formatTableKey(command)}`)
  switch (command.object) {
    case 'chain':
      return applyChainCommand(table, command)
    case 'set':
      return applySetCommand(table, command)
    case 'element':
      return applyElementCommand(table, command)
    case 'rule':
      return applyRuleCommand(table, command)
    case 'named':
      return applyToObject(table, command)
  }
}

function flushRuleset(drafts: DraftTables, family: string | undefined): undefined {
  for (const [key, table] of drafts) if (family === undefined || table.family === family) drafts.delete(key)
}

function applyToTable(drafts: DraftTables, command: TableCommand): TransactionErrorReason | undefined {
  const key = formatTableKey(command)
  const table = drafts.get(key)
  switch (command.verb) {
    case 'add':
    case 'create': {
      if (table !== undefined) return command.verb === 'create' ? createObjectExistsError(`table ${key}`) : undefined
      const { family, table: name, comment, flags } = command
      drafts.set(key, {
        family,
        name,
        ...(flags !== undefined && { flags }),
        ...(comment !== undefined && { comment }),
        chains: new Map(),
        sets: new Map(),
        objects: new Map(),
      })
      return undefined
    }
    case 'flush':
      if (table === undefined) return createMissingObjectError(`table ${key}`)
      for (const chain of table.chains.values()) flushChain(table, chain)
      return undefined
    default:
      return drafts.delete(key) || command.verb === 'destroy' ? undefined : createMissingObjectError(`table ${key}`)
  }
}

function applyToObject(table: DraftTable, command: ObjectCommand): TransactionErrorReason | undefined {
  if ('definition' in command) {
    const key = formatObjectKey(command.definition)
    if (!table.objects.has(key)) table.objects.set(key, { object: command.definition, uses: 0 })
    else if (command.verb === 'create') return createObjectExistsError(key)
    return undefined
  }
  const key = `${command.type} ${command.name}`
  const existing = table.objects.get(key)
  if (existing === undefined) return command.verb === 'destroy' ? undefined : createMissingObjectError(key)
  if (existing.uses > 0) return createObjectInUseError(key)
  table.objects.delete(key)
  return undefined
}

function applyChainCommand(table: DraftTable, command: ChainCommand): TransactionErrorReason | undefined {
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

function flushChain(table: DraftTable, chain: DraftChain): void {
  for (const rule of chain.rules) adjustRuleChainUses(table, rule, -1)
  chain.rules = []
}

function applyRuleCommand(table: DraftTable, command: RuleCommand): TransactionErrorReason | undefined {
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
