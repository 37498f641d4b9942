import type { PartCounts } from '../mode-lowering.js'
import { natRuleCount } from './portal-rules.js'
import type { UserspacePart } from './proxied-part.js'

/** Counts the rules of service ports with all frontends opened. */
export function countParts(parts: readonly UserspacePart[]): PartCounts {
  let rules = 0
  for (const { frontends } of parts) {
    for (const frontend of frontends) rules += natRuleCount(frontend) + (frontend.kind === 'nodePort' ? 1 : 0)
  }
  return { chains: 0, rules }
}
