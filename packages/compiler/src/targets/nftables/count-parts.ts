import type { TableContribution } from '../../dataplane/nftables/state.js'
import type { PartCounts } from '../mode-lowering.js'

/** Counts the chains and their rules. */
export function countParts(parts: readonly Pick<TableContribution, 'chains'>[]): PartCounts {
  let [chainCount, ruleCount] = [0, 0]
  for (const { chains } of parts) {
    chainCount += chains.length
    for (const { rules } of chains) ruleCount += rules.length
  }
  return { chains: chainCount, rules: ruleCount }
}
