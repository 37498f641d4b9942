import type { Block, Rule } from '../../dataplane/iptables/ast.js'
import { ruleCount } from '../../dataplane/iptables/lazy-block.js'
import type { StateCounts } from '../mode-lowering.js'

/** How much blocks hold; undefined stands for none. */
export function countBlocks(blocks: Iterable<Block | undefined>): StateCounts {
  let [chains, rules] = [0, 0]
  for (const block of blocks) {
    if (block === undefined) continue
    chains += block.chains.length
    rules += ruleCount(block)
  }
  return { chains, rules }
}

/** How much blocks hold, together with jumps from built-in chains. */
export function countFixed(blocks: readonly Block[], jumps: readonly Rule[]): StateCounts {
  const { chains, rules } = countBlocks(blocks)
  return { chains, rules: rules + jumps.length }
}
