import type { TableContribution } from '../../dataplane/nftables/state.js'
import type { ContributionCounts } from '../mode-lowering.js'

/** Counts the chains and rules of contributions. */
export function countContributions(parts: readonly Pick<TableContribution, 'chains'>[]): ContributionCounts {
  let [chainCount, ruleCount] = [0, 0]
  for (const { chains } of parts) {
    chainCount += chains.length
    for (const { rules } of chains) ruleCount += rules.length
  }
  return { chains: chainCount, rules: ruleCount }
}
