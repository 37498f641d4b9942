import type { Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'

/** Returns the destination address that a rule requires; undefined if the rule matches several addresses or any address. */
export function requiredDestinationOf({ matches }: Pick<Rule, 'matches'>): string | undefined {
  for (const match of matches) {
    // An ipvs match (`--vaddr`) compares the address of the virtual server, which is the destination of such a packet.
    if (match.kind === 'ipvs') return match.address
    if (match.kind !== 'destination' || match.negated) continue
    const address = withoutHostPrefix(match.address)
    return address.includes('/') ? undefined : address
  }
  return undefined
}
