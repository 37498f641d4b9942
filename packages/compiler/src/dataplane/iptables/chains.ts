import type { Rule, Table } from './ast.js'
import { BUILT_IN_CHAINS } from './built-in-chains.js'
import { countBlockRules, getBlockRules } from './lazy-block.js'

/**
 * Returns the chains of a table in kernel order with their rules: first built-in chains in hook order, then custom
 * chains in order of appearance. Includes chains without rules, even if only `jumps` refer to such a chain, because
 * kube-proxy creates these chains.
 */
export function chainsOf(table: Table): ReadonlyMap<string, readonly Rule[]> {
  return collectChains(table, (rule) => rule)
}

/** A rule with the owner of its block. For a jump from a built-in chain, the owner is empty. */
export interface RuleWithOwner {
  readonly rule: Rule
  readonly owner: string
}

/** Returns chains like `chainsOf`, but each rule has its owner. */
export function chainsWithOwnersOf(table: Table): ReadonlyMap<string, readonly RuleWithOwner[]> {
  return collectChains(table, (rule, owner) => ({ rule, owner }))
}

/** Returns the chain that a rule jumps to, if any. */
export function jumpTargetOf({ target }: Pick<Rule, 'target'>): string | undefined {
  return target?.kind === 'jump' || target?.kind === 'goto' ? target.chain : undefined
}

/** Returns the chains that rules jump to, one item per jump. */
export function jumpTargetsOf(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap((rule) => jumpTargetOf(rule) ?? [])
}

function collectChains<T>(table: Table, toItem: (rule: Rule, owner: string) => T): ReadonlyMap<string, readonly T[]> {
  const chains = new Map<string, T[]>(BUILT_IN_CHAINS[table.name].map((chain) => [chain, []]))
  for (const block of table.blocks) for (const chain of block.chains) itemsOf(chains, chain)
  for (const chain of jumpTargetsOf(table.jumps)) itemsOf(chains, chain)
  for (const rule of table.jumps) itemsOf(chains, rule.chain).push(toItem(rule, ''))
  for (const block of table.blocks) {
    for (const rule of getBlockRules(block)) itemsOf(chains, rule.chain).push(toItem(rule, block.owner))
  }
  return chains
}

function itemsOf<T>(chains: Map<string, T[]>, chain: string): T[] {
  const existing = chains.get(chain)
  if (existing !== undefined) return existing
  const items: T[] = []
  chains.set(chain, items)
  return items
}

/** Reports whether the table has any chain, rule or policy. */
export function isTableInUse({ policies, jumps, blocks }: Table): boolean {
  const written = blocks.some((block) => block.chains.length > 0 || countBlockRules(block) > 0)
  return written || jumps.length > 0 || (policies?.length ?? 0) > 0
}
