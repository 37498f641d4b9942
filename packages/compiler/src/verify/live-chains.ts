import { type Rule, rulesIn, type Table } from '../dataplane/iptables/ast.js'
import { chainsOf } from '../dataplane/iptables/chains.js'

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
  const starts = new Map(block.chains.map((chain) => [chain, rules.length] as const))
  let last: string | undefined
  for (const [index, { chain }] of rules.entries()) {
    if (chain === last) continue
    if (starts.get(chain) !== rules.length) return undefined
    starts.set(chain, index)
    last = chain
  }
  return starts
}

function endOf(rules: readonly Rule[], start: number, chain: string): number {
  let end = start
  while (end < rules.length && rules[end]?.chain === chain) end++
  return end
}
