import type { Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isServicePortChainOfAnyVersion } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { findChainOwner, findRuleOwner, type Owner, type ProtocolsByName } from './rule-owner.js'

/** The chains of a table with their rules. */
export type TableChains = ReadonlyMap<string, readonly Rule[]>

/**
 * Returns the owning service port of each chain, if its own rules show it, or else the rule or chain that jumps to it.
 */
export function inferChainOwners(chains: TableChains, protocols: ProtocolsByName): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>()
  const follow = (from: readonly Rule[], leader: (rule: Rule) => Owner): void => {
    const waiting = [{ from, leader }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const rule of next.from) {
        const chain = servicePortChainAfter(rule)
        const rules = chain === undefined || owners.has(chain) ? undefined : chains.get(chain)
        if (chain === undefined || rules === undefined) continue
        const owner = findChainOwner(rules, next.leader(rule), protocols)
        if (owner === '') continue
        owners.set(chain, owner)
        waiting.push({ from: rules, leader: () => owner })
      }
    }
  }
  for (const [chain, rules] of chains) {
    if (!isServicePortChainOfAnyVersion(chain)) follow(rules, (rule) => findRuleOwner(rule, protocols))
  }
  for (const [chain, rules] of chains) {
    const owner =
      isServicePortChainOfAnyVersion(chain) && !owners.has(chain) ? findChainOwner(rules, '', protocols) : ''
    if (owner === '') continue
    owners.set(chain, owner)
    follow(rules, () => owner)
  }
  return owners
}

function servicePortChainAfter({ target }: Rule): string | undefined {
  if (target?.kind !== 'jump' && target?.kind !== 'goto') return undefined
  return isServicePortChainOfAnyVersion(target.chain) ? target.chain : undefined
}
