import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket } from './kernel-packet.js'

/** A NAT decision (for destination or source) that is made once per connection. */
type Decision = 'destinationDecided' | 'sourceDecided'

function decisionAt(hook: Hook): Decision {
  return hook === 'PREROUTING' || hook === 'OUTPUT' ? 'destinationDecided' : 'sourceDecided'
}

/**
 * Reports whether a packet passes a NAT chain: it is tracked, and no other chain translated it at this hook, or made
 * the same decision at an earlier hook. Mirrors `nf_nat_inet_fn` of the kernel.
 */
export function passesNatChain(hook: Hook, packet: KernelPacket): boolean {
  const decided = packet[decisionAt(hook)]
  return !packet.untracked && (decided === 'no' || decided === hook)
}

/** Returns the packet after a NAT chain. `previous` is the packet before it. */
export function packetAfterNatChain(hook: Hook, previous: KernelPacket, packet: KernelPacket): KernelPacket {
  if (decisionAt(hook) === 'destinationDecided')
    return { ...packet, destinationDecided: packet.translatedBy === previous.translatedBy ? hook : 'yes' }
  return { ...packet, sourceDecided: packet.masqueraded === previous.masqueraded ? hook : 'yes' }
}
