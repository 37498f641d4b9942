import type { Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'

/** Returns the only destination address of packets that may match a rule; undefined if there are several. */
export function requiredDestinationOf({ matches }: Pick<Rule, 'matches'>): string | undefined {
  for (const match of matches) {
    // The destination of a packet is the address of its virtual server.
    if (match.kind === 'ipvs') return match.address
    if (match.kind !== 'destination' || match.negated) continue
    const address = withoutHostPrefix(match.address)
    return address.includes('/') ? undefined : address
  }
  return undefined
}
