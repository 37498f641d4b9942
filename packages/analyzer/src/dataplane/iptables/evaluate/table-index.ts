import type { Block, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { type BlockRules, splitBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/block-rules'
import { BUILT_IN_CHAINS } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { chainsWithOwnersOf, jumpTargetsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { mapChunks } from '@kube-rules/compiler/internal/internal/chunked-list'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { backingListOf, isBackedByList } from '@kube-rules/compiler/internal/internal/lazy-array'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { type IndexedRule, indexRules, type RuleFinder } from './rule-index.js'

/**
 * Returns the rules of a chain. `caller` is the rule that jumps to the chain, if known. Undefined if the chain does not
 * exist.
 */
export type ChainRuleFinder = (chain: string, caller?: IndexedRule) => RuleFinder | undefined

/** Returns a function from a chain to its rules, memoized for the table. */
export function indexRulesByChain(table: Table): ChainRuleFinder {
  return memoize(table, isBackedByList(table) ? rulesOfBlocks : rulesOfChains)
}

/**
 * Returns an index for a table that is not compiled. Each chain is indexed on first use, because most chains of a large
 * table are never used.
 */
function rulesOfChains(table: Table): ChainRuleFinder {
  return indexedChains(chainsWithOwnersOf(table))
}

function indexedChains(chains: ReadonlyMap<string, readonly IndexedRule[]>): ChainRuleFinder {
  const indexed = new Map<string, RuleFinder>()
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
function rulesOfBlocks(table: Table): ChainRuleFinder {
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
    const own = caller?.block && ownOf(caller.block).get(chain)
    if (own !== undefined) return own
    const shared = ofShared(chain)
    if (shared !== undefined) return shared
    const block = ofAnyBlock().get(chain)
    return block && ownOf(block).get(chain)
  }
}

/** Returns the rules in shared chains, and the rules of blocks without owner, by chain. */
function sharedChains(blocks: readonly Block[]): readonly (readonly [chain: string, rules: readonly IndexedRule[]])[] {
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

/** Returns a function from a block to its rules by chain, with a cache of recent results. */
function recentBlocks(): (block: Block) => ReadonlyMap<string, RuleFinder> {
  let recent = new Map<Block, ReadonlyMap<string, RuleFinder>>()
  return (block) => {
    const existing = recent.get(block)
    if (existing !== undefined) return existing
    // A new map instead of `clear()`: in V8, a cleared map links its old and new contents and retains both for a long
    // time.
    if (recent.size === RECENT) recent = new Map()
    const chains = indexedBlock(block, splitBlockRules(block))
    recent.set(block, chains)
    return chains
  }
}

function indexedBlock(block: Block, { own }: BlockRules): ReadonlyMap<string, RuleFinder> {
  const chains = new Map<string, RuleFinder>()
  for (const [chain, rules] of own) {
    chains.set(chain, indexRules(rules.map((rule) => ({ rule, owner: block.owner, block }))))
  }
  return chains
}

function blocksByChain({ blocks }: Table): ReadonlyMap<string, Block> {
  return new Map(blocks.flatMap((block) => block.chains.map((chain) => [chain, block] as const)))
}
