import type { ContributionCounts } from '../mode-lowering.js'
import { countNatRules } from './portal-rules.js'
import type { UserspaceContribution } from './userspace-contribution.js'

/** Counts the rules of service ports, assuming that all frontends of the service ports are opened. */
export function countContributions(parts: readonly UserspaceContribution[]): ContributionCounts {
  let rules = 0
  for (const { frontends } of parts) {
    for (const frontend of frontends) rules += countNatRules(frontend) + (frontend.kind === 'nodePort' ? 1 : 0)
  }
  return { chains: 0, rules }
}
