import type { Block, Table } from '../../dataplane/iptables/ast.js'
import { ruleCount } from '../../dataplane/iptables/lazy-block.js'
import type { StateCounts } from '../mode.js'

export function countBlock(block: Block | undefined): StateCounts {
  return block === undefined ? NOTHING : { chains: block.chains.length, rules: ruleCount(block) }
}

const NOTHING: StateCounts = { chains: 0, rules: 0 }

/** How much the fixed part of a table holds: its first and last block, and the jumps from built-in chains. */
export function countFixedBlocks({ blocks, jumps }: Table): StateCounts {
  const fixed = new Set([...blocks.slice(0, 1), ...blocks.slice(-1)])
  return sumOfCounts([...Array.from(fixed, countBlock), { chains: 0, rules: jumps.length }])
}

export function sumOfCounts(counts: readonly StateCounts[]): StateCounts {
  return {
    chains: counts.reduce((total, { chains }) => total + chains, 0),
    rules: counts.reduce((total, { rules }) => total + rules, 0),
  }
}
