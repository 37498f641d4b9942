import type { IpFamily } from '@kube-rules/types'
import { familyOfOptions } from '../parse/family-of-options.js'
import type { FoundRule } from './found-block.js'

/** Returns the family of the first address in rules. */
export function familyOfRules(rules: readonly FoundRule[]): IpFamily | undefined {
  for (const { words } of rules) {
    const family = familyOfOptions(words)
    if (family !== undefined) return family
  }
  return undefined
}

/** Returns the family of the addresses of each rule; a rule without addresses has the family of the preceding rule. */
export function familiesOfRules(rules: readonly FoundRule[], fallback: IpFamily): readonly IpFamily[] {
  let before = fallback
  return rules.map(({ words }) => {
    before = familyOfOptions(words) ?? before
    return before
  })
}
