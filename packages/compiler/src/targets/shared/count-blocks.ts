import type { Rule, RuleBlock } from '../../dataplane/iptables/ast.js'
import { countBlockRules } from '../../dataplane/iptables/lazy-block.js'
import type { StateCounts } from '../mode-lowering.js'

/** Counts chains and rules of blocks; undefined means an empty block. */
export function countBlocks(blocks: Iterable<RuleBlock | undefined>): StateCounts {
  let [chains, rules] = [0, 0]
  for (const block of blocks) {
    if (block === undefined) continue
    chains += block.chains.length
    rules += countBlockRules(block)
  }
  return { chains, rules }
}

/** Adds static blocks to the counts of contributions. The jumps from built-in chains count as rules. */
export function addStaticBlocks(
  counts: StateCounts,
  blocks: readonly RuleBlock[],
  jumps: readonly Rule[],
): StateCounts {
  const { chains, rules } = countBlocks(blocks)
  return { chains: counts.chains + chains, rules: counts.rules + rules + jumps.length }
}
