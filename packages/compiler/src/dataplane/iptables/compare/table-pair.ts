import type { IpFamily } from '@kube-rules/types'
import type { Custody } from '../../comparison.js'
import type { IptablesState, Rule, Table } from '../ast.js'
import { blockRules } from '../block-rules.js'
import { chainsOf, jumpDestinations } from '../chains.js'
import { rulesIn } from '../lazy-block.js'

/** What a finding of this language is about: a rule in its normal form, or a chain as a whole. */
export type IptablesItem =
  | { readonly kind: 'rule'; readonly rule: Rule }
  | {
      readonly kind: 'chain'
      readonly chain: string
      /** A chain of others that leads to it, so that it cannot be removed. */
      readonly holder?: string | undefined
    }

export type IptablesCustody = Custody<IptablesState, IptablesItem>

/** Two tables of one name, and what there is to know about them. */
export interface TablePair {
  readonly wanted: Table
  readonly live: Table
  readonly family: IpFamily
  readonly custody: IptablesCustody
  /** The chains that only their owner writes to. */
  readonly ownedChains: () => ReadonlySet<string>
  /** Asked for only where something is not as it should be. */
  readonly liveOwners: () => LiveOwners
}

/** Whose chains and rules of a node are, where that can be told. */
interface LiveOwners {
  readonly chains: ReadonlyMap<string, string>
  readonly rules: ReadonlyMap<Rule, string>
}

export function liveOwners(attributed: Table | undefined): LiveOwners {
  const blocks = attributed?.blocks ?? []
  return {
    chains: new Map(blocks.flatMap(({ owner, chains }) => chains.map((chain) => [chain, owner] as const))),
    rules: new Map(blocks.flatMap((block) => rulesIn(block).map((rule) => [rule, block.owner] as const))),
  }
}

/** What a chain should hold. */
export interface WantedChain {
  readonly name: string
  /** Whose chain it is; empty for a chain of all. */
  readonly owner: string
  readonly rules: readonly Rule[]
  /** Whose each rule is, in a chain of all. */
  readonly owners: readonly string[]
}

interface SharedChain extends WantedChain {
  readonly rules: Rule[]
  readonly owners: string[]
}

/**
 * The chains of a wanted table that are not built in, also those that only jumps lead to. Those of owners come first, one
 * block after the other: a block makes its rules when asked for them, and they need not be kept.
 */
export function* wantedChains({ wanted, ownedChains }: TablePair): Generator<WantedChain> {
  const shared = new Map<string, SharedChain>()
  const sharedChain = (name: string): SharedChain => {
    const chain = shared.get(name) ?? { name, owner: '', rules: [], owners: [] }
    shared.set(name, chain)
    return chain
  }
  for (const block of wanted.blocks) {
    const { owner } = block
    if (owner === '') block.chains.forEach(sharedChain)
    const rules = blockRules(block)
    for (const [name, own] of rules.own) yield { name, owner, rules: own, owners: [] }
    for (const [name, more] of rules.shared) {
      const chain = sharedChain(name)
      for (const rule of more) {
        chain.rules.push(rule)
        chain.owners.push(owner)
      }
    }
  }
  for (const chain of jumpDestinations(wanted.jumps)) {
    if (!shared.has(chain) && !ownedChains().has(chain)) sharedChain(chain)
  }
  yield* shared.values()
}

/** The chains of a dumped table. */
export interface LiveChains {
  /** Without built-in chains. */
  readonly names: Iterable<string>
  /** Undefined for a chain that is not there. */
  readonly rulesOf: (chain: string) => readonly Rule[] | undefined
}

/**
 * The chains of a table, which in a dump have their rules together: then nothing is copied before it is asked for. A large
 * cluster has a hundred thousand chains.
 */
export function liveChains(table: Table): LiveChains {
  const starts = startsOf(table)
  if (starts === undefined) {
    const chains = chainsOf({ ...table, jumps: [] })
    return { names: chains.keys(), rulesOf: (chain) => chains.get(chain) }
  }
  const rules = table.blocks[0] === undefined ? [] : rulesIn(table.blocks[0])
  return {
    names: starts.keys(),
    rulesOf: (chain) => {
      const start = starts.get(chain)
      return start === undefined ? undefined : rules.slice(start, endOf(rules, start, chain))
    },
  }
}

/** Where the rules of each chain start; behind the last rule for a chain without. Undefined where they are not together. */
function startsOf({ blocks }: Table): ReadonlyMap<string, number> | undefined {
  const [block, ...others] = blocks
  if (block === undefined || others.length > 0) return undefined
  const rules = rulesIn(block)
  const starts = new Map<string, number>()
  for (const chain of block.chains) starts.set(chain, rules.length)
  for (let start = 0; start < rules.length; ) {
    const { chain } = rules[start] as Rule
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
