import type { RuleBlock, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { InstructionIndex } from '../../../program/index-instructions.js'
import type { Chain } from '../../../program/program.js'
import type { StateContext } from '../../../program/state-context.js'
import { createMissingContentLookup } from './missing-content.js'
import { blocksByChain, type RuleOfBlock, rulesOfOwnChains, rulesOfSharedChains } from './rules-of-chains.js'

/**
 * Returns a chain of a table. `block` is the block of the rule that jumps to the chain, if any. Undefined if the chain
 * does not exist; `ignored` if packets pass a chain that a text leaves out.
 */
export type ChainLookup = (name: string, block?: RuleBlock | undefined) => Chain | undefined | 'ignored'

/** Lowers the rules of a chain. */
export type LowerRules = (rules: readonly RuleOfBlock[], chains: ChainLookup) => InstructionIndex

/**
 * Returns the chains of a table. The rules of a chain are lowered when a packet enters it for the first time, because
 * most chains of a large table are never entered.
 */
export function createChainLookup(table: Table, context: StateContext, lowerRules: LowerRules): ChainLookup {
  const missingOf =
    context.coverage === undefined ? () => undefined : createMissingContentLookup(table, context.coverage)
  const toChain: CreateChain = (name, rules) => {
    const index = createLazyGetter(() => lowerRules(rules(), chains))
    return {
      name,
      instructionsFor: (packet, allPorts) => index().instructionsFor(packet, allPorts),
      ignoresDestination: () => index().ignoresDestination,
      missing: missingOf(name),
    }
  }
  const sharedChain = createSharedChains(table, toChain)
  const ownChains = cacheRecent((block) => createOwnChains(block, toChain))
  const blocks = createLazyGetter(() => blocksByChain(table))
  const ownChain = (name: string, block: RuleBlock | undefined) => block && ownChains(block)(name)
  const missingChain = (name: string): Chain | undefined | 'ignored' => {
    if (context.coverage === undefined && context.isLeftOut(formatChainId(table.name, name))) return 'ignored'
    return missingOf(name) && toChain(name, () => [])
  }
  const chains: ChainLookup = (name, block) =>
    ownChain(name, block) ?? sharedChain(name) ?? ownChain(name, blocks().get(name)) ?? missingChain(name)
  return chains
}

type CreateChain = (name: string, rules: () => readonly RuleOfBlock[]) => Chain

/** Returns the chains that may contain rules of several blocks. Built-in chains exist in every table. */
function createSharedChains(table: Table, toChain: CreateChain): (name: string) => Chain | undefined {
  const rules = createLazyGetter(() => rulesOfSharedChains(table))
  const exists = (name: string) => isBuiltInChain(table.name, name) || rules().has(name)
  return memoizeChains(exists, (name) => toChain(name, () => rules().get(name) ?? []))
}

function createOwnChains(block: RuleBlock, toChain: CreateChain): (name: string) => Chain | undefined {
  const rules = rulesOfOwnChains(block)
  return memoizeChains(
    (name) => rules.has(name),
    (name) => toChain(name, () => rules.get(name) ?? []),
  )
}

function memoizeChains(
  exists: (name: string) => boolean,
  create: (name: string) => Chain,
): (name: string) => Chain | undefined {
  const known = new Map<string, Chain>()
  return (name) => {
    const existing = known.get(name)
    if (existing !== undefined || !exists(name)) return existing
    const chain = create(name)
    known.set(name, chain)
    return chain
  }
}

/** The number of cached blocks, enough for packets to a few Services. */
const RECENT = 8

/** Caches the results of a function for the last blocks. */
function cacheRecent<T>(compute: (block: RuleBlock) => T): (block: RuleBlock) => T {
  let recent = new Map<RuleBlock, T>()
  return (block) => {
    const existing = recent.get(block)
    if (existing !== undefined) return existing
    // A new map instead of `clear()`: in V8, a cleared map links its old and new contents and retains both for a long
    // time.
    if (recent.size === RECENT) recent = new Map()
    const value = compute(block)
    recent.set(block, value)
    return value
  }
}
