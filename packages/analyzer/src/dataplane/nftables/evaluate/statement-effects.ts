import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'

/** Returns the packet after a statement that sets its mark. */
export function withMarkOf(
  { operation, value }: Statement & { readonly kind: 'markSet' },
  packet: KernelPacket,
): KernelPacket {
  return { ...packet, mark: markAfter(packet.mark, operation, value) }
}

function markAfter(
  mark: number,
  operation: (Statement & { readonly kind: 'markSet' })['operation'],
  value: number,
): number {
  switch (operation) {
    case 'or':
      return (mark | value) >>> 0
    case 'xor':
      return (mark ^ value) >>> 0
    case 'and':
      return (mark & value) >>> 0
    case 'set':
      return value
  }
}

/**
 * Returns the message of a reject statement in iptables notation, so that outcomes of nftables and iptables can be
 * compared.
 */
export function rejectionOf(words: string | undefined, { family }: KernelPacket): string {
  const prefix = family === 'IPv4' ? 'icmp' : 'icmp6'
  if (words === undefined) return `${prefix}-port-unreachable`
  if (words === 'tcp reset') return 'tcp-reset'
  return `${prefix}-${words.split(' ').at(-1)}`
}
