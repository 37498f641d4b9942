import type { Rule, RuleBlock, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { splitBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/block-rules'
import { BUILT_IN_CHAINS } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { chainsWithOwnersOf, jumpTargetsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { mapChunks } from '@kube-rules/compiler/internal/internal/chunked-list'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { backingListOf, hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { type IndexedRule, indexRules, type RuleLookup } from './rule-index.js'

/**
 * Returns the rules of a chain. `caller` is the rule that jumps to the chain, if known. Undefined if the chain does not
 * exist.
 */
export type ChainRuleLookup = (chain: string, caller?: IndexedRule) => RuleLookup | undefined

/** Returns a function from a chain to its rules, memoized for the table. */
export function indexRulesByChain(table: Table): ChainRuleLookup {
  return memoize(table, hasLazyArray(table) ? rulesOfBlocks : rulesOfChains)
}

/**
 * Returns an index for a table that is not compiled. Each chain is indexed on first use, because most chains of a large
 * table are never used.
 */
function rulesOfChains(table: Table): ChainRuleLookup {
  return indexedChains(chainsWithOwnersOf(table))
}

function indexedChains(chains: ReadonlyMap<string, readonly IndexedRule[]>): ChainRuleLookup {
  const indexed = new Map<string, RuleLookup>()
  return (name) => {
    const existing = indexed.get(name)
    const rules = existing === undefined ? chains.get(name) : undefined
    if (rules === undefined) return existing
    const rulesFor = indexRules(rules)
    indexed.set(name, rulesFor)
    return rulesFor
  }
}

/**
 * Creates the index of a compiled table. In such a table, each endpoint chain belongs to one block. The index keeps
 * only the rules of shared chains. Rules of endpoint chains, which are 90 % of all rules, are created when a packet
 * reaches them through a rule of the same block.
 */
function rulesOfBlocks(table: Table): ChainRuleLookup {
  const shared = new Map<string, IndexedRule[]>()
  const add = (chain: string, rules: readonly IndexedRule[]) => {
    const existing = shared.get(chain)
    if (existing === undefined) shared.set(chain, [...rules])
    else for (const rule of rules) existing.push(rule)
  }
  for (const chain of [...BUILT_IN_CHAINS[table.name], ...jumpTargetsOf(table.jumps)]) add(chain, [])
  for (const rule of table.jumps) add(rule.chain, [{ rule, owner: '' }])
  for (const chunk of mapChunks(backingListOf(table, 'blocks'), sharedChains)) for (const each of chunk) add(...each)
  const ofShared = indexedChains(shared)
  const ownOf = recentBlocks()
  const ofAnyBlock = createLazyGetter(() => blocksByChain(table))
  return (chain, caller) => {
    const own = caller?.block && ownOf(caller.block)(chain)
    if (own !== undefined) return own
    const shared = ofShared(chain)
    if (shared !== undefined) return shared
    const block = ofAnyBlock().get(chain)
    return block && ownOf(block)(chain)
  }
}

/** Returns the rules in shared chains, and the rules of blocks without owner, by chain. */
function sharedChains(
  blocks: readonly RuleBlock[],
): readonly (readonly [chain: string, rules: readonly IndexedRule[]])[] {
  const chains = new Map<string, IndexedRule[]>()
  const rulesIn = (chain: string): IndexedRule[] => {
    const existing = chains.get(chain)
    if (existing !== undefined) return existing
    const rules: IndexedRule[] = []
    chains.set(chain, rules)
    return rules
  }
  for (const block of blocks) {
    if (block.owner === '') for (const chain of block.chains) rulesIn(chain)
    for (const [chain, rules] of splitBlockRules(block).shared) {
      const known = rulesIn(chain)
      for (const rule of rules)
        known.push({ rule: { ...rule, matches: compactList(rule.matches) }, owner: block.owner, block })
    }
  }
  return [...chains]
}

/** The number of cached blocks, enough for packets to a few Services. */
const RECENT = 8

/** Returns a function from a block to a function from its own chains to their rules, with a cache of recent results. */
function recentBlocks(): (block: RuleBlock) => (chain: string) => RuleLookup | undefined {
  let recent = new Map<RuleBlock, (chain: string) => RuleLookup | undefined>()
  return (block) => {
    const existing = recent.get(block)
    if (existing !== undefined) return existing
    // A new map instead of `clear()`: in V8, a cleared map links its old and new contents and retains both for a long
    // time.
    if (recent.size === RECENT) recent = new Map()
    const chains = indexBlock(block)
    recent.set(block, chains)
    return chains
  }
}

function indexBlock(block: RuleBlock): (chain: string) => RuleLookup | undefined {
  const chains: Map<string, readonly IndexedRule[] | RuleLookup> = ownRulesByChain(block)
  return (chain) => {
    const rules = chains.get(chain)
    if (rules === undefined || typeof rules === 'function') return rules
    const rulesFor = indexRules(rules)
    chains.set(chain, rulesFor)
    return rulesFor
  }
}

function ownRulesByChain(block: RuleBlock): Map<string, readonly IndexedRule[]> {
  const { owner } = block
  const own = new Map<string, readonly IndexedRule[]>()
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

const NO_RULES: readonly IndexedRule[] = []

/** Returns the index after the consecutive rules that are in the same chain as the rule at `first`. */
function endOfChain(rules: readonly Rule[], first: number): number {
  const { chain } = elementAt(rules, first)
  let end = first + 1
  while (rules[end]?.chain === chain) end++
  return end
}

function blocksByChain({ blocks }: Table): ReadonlyMap<string, RuleBlock> {
  return new Map(blocks.flatMap((block) => block.chains.map((chain) => [chain, block] as const)))
}
