import { type Branch, type Departed, depart, NEXT } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Decided, KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'

/** A NAT decision that is made once per connection. */
type Decision = 'destinationDecided' | 'sourceDecided'

/**
 * Visits a NAT hook handler, unless another one has translated at this hook, or the decision was made at an earlier
 * hook. Mirrors `nf_nat_inet_fn` of the kernel.
 */
export function visitToTranslate(
  hook: Hook,
  branch: Branch,
  visit: (branch: Branch) => readonly Departed[],
): readonly Departed[] {
  const decision: Decision = hook === 'PREROUTING' || hook === 'OUTPUT' ? 'destinationDecided' : 'sourceDecided'
  const decided = branch.packet[decision]
  if (decided !== 'no' && decided !== hook) return [depart(branch, NEXT)]
  return visit(branch).map((departed) => {
    const isTranslated = isChanged[decision](branch.packet, departed.packet)
    const packet = withDecision(departed.packet, decision, isTranslated ? 'yes' : hook)
    return depart(departed, departed.departure, packet)
  })
}

function withDecision(packet: KernelPacket, decision: Decision, decided: Decided): KernelPacket {
  return decision === 'destinationDecided'
    ? { ...packet, destinationDecided: decided }
    : { ...packet, sourceDecided: decided }
}

const isChanged: Readonly<Record<Decision, (before: KernelPacket, after: KernelPacket) => boolean>> = {
  destinationDecided: (before, after) => after.translatedBy !== before.translatedBy,
  sourceDecided: (before, after) => after.masqueraded !== before.masqueraded,
}
