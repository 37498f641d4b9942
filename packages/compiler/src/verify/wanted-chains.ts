import type { Rule, Table } from '../dataplane/iptables/ast.js'
import { blockRules } from '../dataplane/iptables/block-rules.js'
import { jumpDestinations } from '../dataplane/iptables/chains.js'

/** What a chain should hold. */
export interface WantedChain {
  readonly name: string
  /** The service port whose chain it is; empty for a chain of all. */
  readonly owner: string
  readonly rules: readonly Rule[]
  /** The service port of each rule, in a chain of all. */
  readonly owners: readonly string[]
}

interface SharedChain extends WantedChain {
  readonly rules: Rule[]
  readonly owners: string[]
}

/**
 * The chains of a compiled table that are not built in, also those that only jumps lead to. Those of service ports come
 * first, one block after the other: a block makes its rules when asked for them, and they need not be kept.
 */
export function* wantedChains({ blocks, jumps }: Table): Generator<WantedChain> {
  const shared = new Map<string, SharedChain>()
  const sharedChain = (name: string): SharedChain => {
    const chain = shared.get(name) ?? { name, owner: '', rules: [], owners: [] }
    shared.set(name, chain)
    return chain
  }
  for (const block of blocks) {
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
  jumpDestinations(jumps).forEach(sharedChain)
  yield* shared.values()
}
