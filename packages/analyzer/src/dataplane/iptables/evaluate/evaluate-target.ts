import type { Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { evaluateDnatTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/dnat'
import { evaluateMarkTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/mark'
import type { TargetEffect } from '@kube-rules/compiler/internal/dataplane/iptables/targets/operations'
import { evaluateRedirectTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/redirect'
import { evaluateRejectTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/reject'
import { evaluateUnknownTarget } from '@kube-rules/compiler/internal/dataplane/iptables/targets/unknown'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { TranslatedField } from '../../netfilter/path-state.js'

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
      return evaluateRejectTarget(target, packet.family)
    case 'mark':
      return evaluateMarkTarget(target, packet)
    case 'masquerade':
      return { kind: 'accept', packet: { ...packet, masqueraded: true } }
    case 'dnat':
      return evaluateDnatTarget(target, packet)
    case 'redirect':
      return evaluateRedirectTarget(target, packet)
    case 'unknown':
      return evaluateUnknownTarget(target, packet)
  }
}

/**
 * Reports whether a target changes the source address or the destination address. Undefined if the target changes no
 * address.
 */
export function translatedFieldOf({ kind }: Target): TranslatedField | undefined {
  if (kind === 'masquerade') return 'source'
  return kind === 'dnat' || kind === 'redirect' ? 'destination' : undefined
}
