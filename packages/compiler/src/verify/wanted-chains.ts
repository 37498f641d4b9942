import type { Rule, Table } from '../dataplane/iptables/ast.js'
import { jumpDestinations } from '../dataplane/iptables/chains.js'

/** What a chain should hold. */
export interface WantedChain {
  /** The service port whose chain it is; empty for a chain of all. */
  readonly owner: string
  readonly rules: Rule[]
  /** The service port of each rule. */
  readonly owners: string[]
}

/** The chains of a compiled table that are not built in, also those that only jumps lead to. */
export function wantedChains({ blocks, jumps }: Table): ReadonlyMap<string, WantedChain> {
  const wanted = new Map<string, WantedChain>()
  const create = (chain: string, owner: string): void => {
    if (!wanted.has(chain)) wanted.set(chain, { owner, rules: [], owners: [] })
  }
  for (const { owner, chains } of blocks) for (const chain of chains) create(chain, owner)
  for (const chain of jumpDestinations(jumps)) create(chain, '')
  for (const { owner, rules } of blocks) {
    for (const rule of rules) {
      const chain = wanted.get(rule.chain)
      chain?.rules.push(rule)
      chain?.owners.push(owner)
    }
  }
  return wanted
}
