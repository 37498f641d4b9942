import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket, NatState } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { type HandlerResult, NEXT_VERDICT, type PathState, withVerdict } from './path-state.js'

/** A NAT decision (for destination or source) that is made once per connection. */
type Decision = 'destinationDecided' | 'sourceDecided'

/**
 * Runs a NAT hook handler, unless another handler translated the packet at this hook, or the same NAT decision was made
 * at an earlier hook. Mirrors `nf_nat_inet_fn` of the kernel.
 */
export function visitNatHandler(
  hook: Hook,
  branch: PathState,
  visit: (branch: PathState) => readonly HandlerResult[],
): readonly HandlerResult[] {
  const decision: Decision = hook === 'PREROUTING' || hook === 'OUTPUT' ? 'destinationDecided' : 'sourceDecided'
  const decided = branch.packet[decision]
  if (decided !== 'no' && decided !== hook) return [withVerdict(branch, NEXT_VERDICT)]
  return visit(branch).map((result) => {
    const isTranslated = isChanged[decision](branch.packet, result.packet)
    const packet = withDecision(result.packet, decision, isTranslated ? 'yes' : hook)
    return withVerdict(result, result.verdict, packet)
  })
}

function withDecision(packet: KernelPacket, decision: Decision, decided: NatState): KernelPacket {
  return decision === 'destinationDecided'
    ? { ...packet, destinationDecided: decided }
    : { ...packet, sourceDecided: decided }
}

const isChanged: Readonly<Record<Decision, (before: KernelPacket, after: KernelPacket) => boolean>> = {
  destinationDecided: (before, after) => after.translatedBy !== before.translatedBy,
  sourceDecided: (before, after) => after.masqueraded !== before.masqueraded,
}
