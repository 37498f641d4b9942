import type { Block, Table } from '../../dataplane/iptables/ast.js'
import { jumpDestinations } from '../../dataplane/iptables/chains.js'
import { checkBlock } from '../../dataplane/iptables/check.js'
import { rulesIn } from '../../dataplane/iptables/lazy-block.js'
import { invariant } from '../../internal/invariant.js'
import type { StateCounts } from '../mode.js'

/**
 * How much a block holds. Throws where iptables would refuse it: a block may use its own chains and `outer`, those of the
 * fixed part of its table.
 */
export function inspectBlock(block: Block | undefined, table: Table['name'], outer: ReadonlySet<string>): StateCounts {
  if (block === undefined) return NOTHING
  const { owner, chains } = block
  const rules = rulesIn(block)
  const problems = checkBlock({ owner, chains, rules }, table, outer)
  if (problems.length > 0) invariant(false, `rules that iptables would refuse: ${JSON.stringify(problems)}`)
  return { chains: chains.length, rules: rules.length }
}

const NOTHING: StateCounts = { chains: 0, rules: 0 }

/** How much the fixed part of a table holds: its first and last block, and the jumps from built-in chains. */
export function inspectFixedBlocks(table: Table): StateCounts {
  const fixed = [...new Set([...table.blocks.slice(0, 1), ...table.blocks.slice(-1)])]
  const outer = new Set([...fixed.flatMap(({ chains }) => chains), ...jumpDestinations(table.jumps)])
  const counts = fixed.map((block) => inspectBlock(block, table.name, outer))
  return sumOfCounts([...counts, { chains: 0, rules: table.jumps.length }])
}

export function sumOfCounts(counts: readonly StateCounts[]): StateCounts {
  return {
    chains: counts.reduce((total, { chains }) => total + chains, 0),
    rules: counts.reduce((total, { rules }) => total + rules, 0),
  }
}
