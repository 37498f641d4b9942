import type { Rule, Table } from './ast.js'
import { BUILT_IN_CHAINS } from './built-in-chains.js'

/**
 * The chains of a table as the kernel has them, each with its rules in order: the built-in chains in hook order, then
 * the others in order of appearance. Chains without rules are in it, also those that only `jumps` lead to: kube-proxy
 * creates them.
 */
export function chainsOf(table: Table): ReadonlyMap<string, readonly Rule[]> {
  const chains = new Map<string, Rule[]>(BUILT_IN_CHAINS[table.name].map((chain) => [chain, []]))
  for (const block of table.blocks) for (const chain of block.chains) rulesOf(chains, chain)
  for (const chain of jumpDestinations(table.jumps)) rulesOf(chains, chain)
  for (const rule of table.jumps) rulesOf(chains, rule.chain).push(rule)
  for (const block of table.blocks) for (const rule of block.rules) rulesOf(chains, rule.chain).push(rule)
  return chains
}

/** The chains that rules lead to, one for each jump. */
export function jumpDestinations(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ verdict }) => (verdict?.kind === 'jump' || verdict?.kind === 'goto' ? [verdict.chain] : []))
}

function rulesOf(chains: Map<string, Rule[]>, chain: string): Rule[] {
  const known = chains.get(chain)
  if (known !== undefined) return known
  const rules: Rule[] = []
  chains.set(chain, rules)
  return rules
}

/** Whether the table says anything: a chain, a rule or a policy. */
export function isInUse({ policies, jumps, blocks }: Table): boolean {
  const written = blocks.some(({ chains, rules }) => chains.length > 0 || rules.length > 0)
  return written || jumps.length > 0 || (policies?.length ?? 0) > 0
}
