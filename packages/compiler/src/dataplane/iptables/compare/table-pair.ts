import type { IpFamily } from '@kube-rules/types'
import { elementAt } from '../../../internal/known-items.js'
import type { ResourceOwnership } from '../../comparison.js'
import type { IptablesState, Rule, Table } from '../ast.js'
import { splitBlockRules } from '../block-rules.js'
import { chainsOf, jumpTargetsOf } from '../chains.js'
import { getBlockRules } from '../lazy-block.js'

/** The subject of an iptables drift item: a rule in normal form, or a whole chain. */
export type RuleOrChain =
  | { readonly kind: 'rule'; readonly rule: Rule }
  | {
      readonly kind: 'chain'
      readonly chain: string
      /** A foreign chain that jumps to this chain. This chain cannot be removed while the jump exists. */
      readonly holder?: string | undefined
    }

export type IptablesOwnership = ResourceOwnership<IptablesState, RuleOrChain>

/** The expected and the actual table with the same name, and the context of their comparison. */
export interface TablePair {
  readonly expected: Table
  readonly actual: Table
  readonly family: IpFamily
  readonly ownership: IptablesOwnership
  /** The chains that only one owner, the owner of the chain, adds rules to. */
  readonly ownedChains: () => ReadonlySet<string>
  /** The owners in the actual table. Computed only if there is drift. */
  readonly actualOwners: () => ActualOwners
}

/** The owners of the actual chains and rules, as far as the owners can be determined. */
interface ActualOwners {
  readonly chains: ReadonlyMap<string, string>
  readonly rules: ReadonlyMap<Rule, string>
}

export function actualOwnersOf(attributed: Table | undefined): ActualOwners {
  const blocks = attributed?.blocks ?? []
  return {
    chains: new Map(blocks.flatMap(({ owner, chains }) => chains.map((chain) => [chain, owner] as const))),
    rules: new Map(blocks.flatMap((block) => getBlockRules(block).map((rule) => [rule, block.owner] as const))),
  }
}

/** The expected content of a chain. */
export interface ExpectedChain {
  readonly name: string
  /** The owner of the chain; empty for a shared chain. */
  readonly owner: string
  readonly rules: readonly Rule[]
  /** The owner of each rule, in the order of `rules`; empty for a chain that is not shared. */
  readonly owners: readonly string[]
}

interface SharedChain extends ExpectedChain {
  readonly rules: Rule[]
  readonly owners: string[]
}

/**
 * Yields the custom chains of an expected table, including chains that only jumps refer to. Chains with an owner come
 * first, block by block. The rules of a block are created on demand, so a caller can discard them before the next
 * block.
 */
export function* expectedChainsOf({ expected, ownedChains }: TablePair): Generator<ExpectedChain> {
  const shared = new Map<string, SharedChain>()
  const sharedChain = (name: string): SharedChain => {
    const chain = shared.get(name) ?? { name, owner: '', rules: [], owners: [] }
    shared.set(name, chain)
    return chain
  }
  for (const block of expected.blocks) {
    const { owner } = block
    if (owner === '') block.chains.forEach(sharedChain)
    const rules = splitBlockRules(block)
    for (const [name, own] of rules.own) yield { name, owner, rules: own, owners: [] }
    for (const [name, more] of rules.shared) {
      const chain = sharedChain(name)
      for (const rule of more) {
        chain.rules.push(rule)
        chain.owners.push(owner)
      }
    }
  }
  for (const chain of jumpTargetsOf(expected.jumps)) {
    if (!shared.has(chain) && !ownedChains().has(chain)) sharedChain(chain)
  }
  yield* shared.values()
}

/** The chains of a dumped table. */
export interface ActualChains {
  /** The names of custom chains. */
  readonly names: Iterable<string>
  /** Returns the rules of a chain; undefined for a missing chain. */
  readonly rulesOf: (chain: string) => readonly Rule[] | undefined
}

/**
 * Returns the chains of a table. In a dump, the rules of a chain are adjacent, so the rules are copied only on demand.
 * This matters in large clusters, which have a hundred thousand chains.
 */
export function actualChainsOf(table: Table): ActualChains {
  const starts = startsOf(table)
  if (starts === undefined) {
    const chains = chainsOf({ ...table, jumps: [] })
    return { names: chains.keys(), rulesOf: (chain) => chains.get(chain) }
  }
  const rules = table.blocks[0] === undefined ? [] : getBlockRules(table.blocks[0])
  return {
    names: starts.keys(),
    rulesOf: (chain) => {
      const start = starts.get(chain)
      return start === undefined ? undefined : rules.slice(start, endOf(rules, start, chain))
    },
  }
}

/**
 * Returns the index of the first rule of each chain. For an empty chain, the index is the number of rules in the table.
 * Returns undefined if the rules of a chain are not adjacent.
 */
function startsOf({ blocks }: Table): ReadonlyMap<string, number> | undefined {
  const [block, ...others] = blocks
  if (block === undefined || others.length > 0) return undefined
  const rules = getBlockRules(block)
  const starts = new Map<string, number>()
  for (const chain of block.chains) starts.set(chain, rules.length)
  for (let start = 0; start < rules.length; ) {
    const { chain } = elementAt(rules, start)
    if (starts.get(chain) !== rules.length) return undefined
    starts.set(chain, start)
    start = endOf(rules, start, chain)
  }
  return starts
}

function endOf(rules: readonly Rule[], start: number, chain: string): number {
  let end = start
  while (rules[end]?.chain === chain) end++
  return end
}
