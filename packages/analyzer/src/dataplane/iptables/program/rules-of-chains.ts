import type { Rule, RuleBlock, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { splitBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/block-rules'
import { BUILT_IN_CHAINS } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import {
  chainsWithOwnersOf,
  jumpTargetsOf,
  type RuleWithOwner,
} from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { backingListOf, hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { mapList } from '@kube-rules/compiler/internal/internal/map-list'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'

/** A rule, with the block of its owner. The rule may jump to the chains of this block. */
export interface RuleOfBlock extends RuleWithOwner {
  readonly block?: RuleBlock | undefined
}

/** The rules of each chain, by the name of the chain. */
export type RulesOfChains = ReadonlyMap<string, readonly RuleOfBlock[]>

/**
 * Returns the rules of the chains of a table. In a compiled table, each endpoint chain belongs to one block. The rules of
 * such chains, which are 90 % of all rules, are not included: they are created when a packet reaches them through a
 * rule of the same block.
 */
export function rulesOfSharedChains(table: Table): RulesOfChains {
  return hasLazyArray(table) ? rulesOutsideBlocks(table) : chainsWithOwnersOf(table)
}

function rulesOutsideBlocks(table: Table): RulesOfChains {
  const shared = new Map<string, RuleOfBlock[]>()
  const add = (chain: string, rules: readonly RuleOfBlock[]) => {
    const existing = shared.get(chain)
    if (existing === undefined) shared.set(chain, [...rules])
    else for (const rule of rules) existing.push(rule)
  }
  for (const chain of [...BUILT_IN_CHAINS[table.name], ...jumpTargetsOf(table.jumps)]) add(chain, [])
  for (const rule of table.jumps) add(rule.chain, [{ rule, owner: '' }])
  for (const block of backingListOf(table, 'blocks')) {
    for (const [chain, rules] of memoize(block, sharedRulesOfBlock)) add(chain, rules)
  }
  return shared
}

/** Returns the rules of a block in shared chains, by chain. All chains of a block without owner are shared. */
function sharedRulesOfBlock(block: RuleBlock): RulesOfChains {
  const { owner, chains } = block
  const shared = new Map<string, readonly RuleOfBlock[]>()
  if (owner === '') for (const chain of chains) shared.set(chain, NO_RULES)
  for (const [chain, rules] of splitBlockRules(block).shared) {
    shared.set(
      chain,
      mapList(rules, (rule) => ({ rule: { ...rule, matches: compactList(rule.matches) }, owner, block })),
    )
  }
  return shared
}

/** Returns the rules of the chains that belong to a block. */
export function rulesOfOwnChains(block: RuleBlock): RulesOfChains {
  const { owner } = block
  const own = new Map<string, readonly RuleOfBlock[]>()
  // Any block may write to the chains of a block without owner, so they count as shared.
  if (owner === '') return own
  for (const chain of block.chains) own.set(chain, NO_RULES)
  const rules = getBlockRules(block)
  let end = 0
  for (let first = 0; first < rules.length; first = end) {
    const { chain } = elementAt(rules, first)
    end = endOfChain(rules, first)
    const existing = own.get(chain)
    if (existing === undefined) continue
    // `map` creates a list of the exact length, while `push` reserves room for 17 rules.
    const added = rules.slice(first, end).map((rule) => ({ rule, owner, block }))
    own.set(chain, existing.length === 0 ? added : [...existing, ...added])
  }
  return own
}

const NO_RULES: readonly RuleOfBlock[] = []

/** Returns the index after the consecutive rules that are in the same chain as the rule at `first`. */
function endOfChain(rules: readonly Rule[], first: number): number {
  const { chain } = elementAt(rules, first)
  let end = first + 1
  while (rules[end]?.chain === chain) end++
  return end
}

/** Returns the block of each chain. */
export function blocksByChain({ blocks }: Table): ReadonlyMap<string, RuleBlock> {
  return new Map(blocks.flatMap((block) => block.chains.map((chain) => [chain, block] as const)))
}
