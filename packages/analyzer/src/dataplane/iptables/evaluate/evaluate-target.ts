import type { Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { evaluateDnat } from '@kube-rules/compiler/internal/dataplane/iptables/targets/dnat'
import { evaluateMark } from '@kube-rules/compiler/internal/dataplane/iptables/targets/mark'
import type { TargetEffect } from '@kube-rules/compiler/internal/dataplane/iptables/targets/operations'
import { evaluateRedirect } from '@kube-rules/compiler/internal/dataplane/iptables/targets/redirect'
import { evaluateReject } from '@kube-rules/compiler/internal/dataplane/iptables/targets/reject'
import { evaluateUnknown } from '@kube-rules/compiler/internal/dataplane/iptables/targets/unknown'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { TranslatedAddress } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

export function evaluateTarget(target: Target, packet: KernelPacket): TargetEffect {
  switch (target.kind) {
    case 'accept':
      return { kind: 'accept', packet }
    case 'drop':
    case 'return':
    case 'jump':
    case 'goto':
      return target
    case 'reject':
      return evaluateReject(target, packet.family)
    case 'mark':
      return evaluateMark(target, packet)
    case 'masquerade':
      return { kind: 'accept', packet: { ...packet, masqueraded: true } }
    case 'dnat':
      return evaluateDnat(target, packet)
    case 'redirect':
      return evaluateRedirect(target, packet)
    case 'unknown':
      return evaluateUnknown(target, packet)
  }
}

/** Returns whether a target changes the source or the destination address; undefined if it changes no address. */
export function translatedAddressOf({ kind }: Target): TranslatedAddress | undefined {
  if (kind === 'masquerade') return 'source'
  return kind === 'dnat' || kind === 'redirect' ? 'destination' : undefined
}
