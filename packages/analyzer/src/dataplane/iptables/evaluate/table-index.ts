import type { Block, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { type BlockRules, blockRules } from '@kube-rules/compiler/internal/dataplane/iptables/block-rules'
import { BUILT_IN_CHAINS } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { jumpDestinations, ownedChainsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { isOfList, listBehind } from '@kube-rules/compiler/internal/internal/array-of-list'
import { findInChunks } from '@kube-rules/compiler/internal/internal/chunked-list'
import { compact } from '@kube-rules/compiler/internal/internal/compact'
import { lazily, memo } from '@kube-rules/compiler/internal/internal/memo'
import { indexRules, type PlacedRule, type RulesFor } from './rule-index.js'

/** The rules of a chain, to which another rule may have led; undefined where there is no such chain. */
export type RulesOfChain = (chain: string, caller?: PlacedRule) => RulesFor | undefined

/** The rules of a table by the chain they stand in; kept with a table that keeps findings. */
export function rulesByChain(table: Table): RulesOfChain {
  return memo(table, isOfList(table) ? rulesOfBlocks : rulesOfChains)
}

/** Of chains that anyone may write to: indexed when they are first asked for. Of most of a large table nobody asks. */
function rulesOfChains(table: Table): RulesOfChain {
  return indexedChains(ownedChainsOf(table))
}

function indexedChains(chains: ReadonlyMap<string, readonly PlacedRule[]>): RulesOfChain {
  const indexed = new Map<string, RulesFor>()
  return (name) => {
    const known = indexed.get(name)
    const rules = known === undefined ? chains.get(name) : undefined
    if (rules === undefined) return known
    const rulesFor = indexRules(rules)
    indexed.set(name, rulesFor)
    return rulesFor
  }
}

/**
 * Of a compiled table, in which each block has its chains for itself: kept are the rules of shared chains. Those of endpoints
 * are nine of ten and are made when a packet comes there, which it does by a rule of the same block.
 */
function rulesOfBlocks(table: Table): RulesOfChain {
  const shared = new Map<string, PlacedRule[]>()
  const add = (chain: string, rules: readonly PlacedRule[]) => {
    const known = shared.get(chain)
    if (known === undefined) shared.set(chain, [...rules])
    else for (const rule of rules) known.push(rule)
  }
  for (const chain of [...BUILT_IN_CHAINS[table.name], ...jumpDestinations(table.jumps)]) add(chain, [])
  for (const rule of table.jumps) add(rule.chain, [{ rule, owner: '' }])
  for (const chunk of findInChunks(listBehind(table, 'blocks'), sharedChains)) for (const each of chunk) add(...each)
  const ofShared = indexedChains(shared)
  const ownOf = recentBlocks()
  const ofAnyBlock = lazily(() => blocksByChain(table))
  return (chain, caller) => {
    const own = caller?.block && ownOf(caller.block).get(chain)
    if (own !== undefined) return own
    const found = ofShared(chain)
    if (found !== undefined) return found
    const block = ofAnyBlock().get(chain)
    return block && ownOf(block).get(chain)
  }
}

/** The rules of blocks that stand in chains of others, and those of blocks without owner, by chain. */
function sharedChains(blocks: readonly Block[]): readonly (readonly [chain: string, rules: readonly PlacedRule[]])[] {
  const chains = new Map<string, PlacedRule[]>()
  const rulesIn = (chain: string): PlacedRule[] => {
    const known = chains.get(chain)
    if (known !== undefined) return known
    const rules: PlacedRule[] = []
    chains.set(chain, rules)
    return rules
  }
  for (const block of blocks) {
    if (block.owner === '') for (const chain of block.chains) rulesIn(chain)
    for (const [chain, rules] of blockRules(block).shared) {
      const known = rulesIn(chain)
      for (const rule of rules)
        known.push({ rule: { ...rule, matches: compact(rule.matches) }, owner: block.owner, block })
    }
  }
  return [...chains]
}

/** As many blocks as packets to a few Services come to. */
const RECENT = 8

/** The rules of a block by its chains, made again where it has not been asked for of late. */
function recentBlocks(): (block: Block) => ReadonlyMap<string, RulesFor> {
  let recent = new Map<Block, ReadonlyMap<string, RulesFor>>()
  return (block) => {
    const known = recent.get(block)
    if (known !== undefined) return known
    // A map that is cleared leads V8 from what it held before to what it holds later, and keeps both for long.
    if (recent.size === RECENT) recent = new Map()
    const chains = indexedBlock(block, blockRules(block))
    recent.set(block, chains)
    return chains
  }
}

function indexedBlock(block: Block, { own }: BlockRules): ReadonlyMap<string, RulesFor> {
  const chains = new Map<string, RulesFor>()
  for (const [chain, rules] of own) {
    chains.set(chain, indexRules(rules.map((rule) => ({ rule, owner: block.owner, block }))))
  }
  return chains
}

function blocksByChain({ blocks }: Table): ReadonlyMap<string, Block> {
  return new Map(blocks.flatMap((block) => block.chains.map((chain) => [chain, block] as const)))
}
