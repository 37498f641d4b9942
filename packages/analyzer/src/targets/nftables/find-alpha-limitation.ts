import { type Decision, decide, isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatEndpointOutcome } from '../../plan/format-decision.js'
import type { BlockingVerdict } from '../shared/blocking-verdict.js'
import {
  createLimitationOutcome,
  findAddressVerdict,
  findBlockingVerdict,
  findEarlyLimitation,
  findInputChainVerdict,
  type LimitationOutcome,
} from './find-limitation.js'

type ToEndpoints = Decision & { readonly kind: 'endpoints' }

/**
 * Computes the effect of a limitation of nftables mode in kube-proxy v1.29 on a packet. Undefined if no limitation
 * applies. In this version, filters run before DNAT only at the output hook. Incoming and forwarded packets traverse
 * the chains `endpoints-check` and `firewall-check` with the rewritten destination, so no source range applies to these
 * packets.
 */
export function findAlphaLimitation(plan: Plan, packet: Packet, decision: Decision): LimitationOutcome | undefined {
  if (packet.origin === 'node') return limitedInOutput(plan, packet, decision)
  if (decision.kind === 'endpoints')
    return createLimitationOutcome('endpointRejected', ...textsOf(plan, packet, decision))
  if (decision.kind !== 'drop' || decision.reason !== 'sourceRange') return undefined
  const open = decide(withoutSourceRanges(plan), packet)
  if (open.kind !== 'endpoints') return undefined
  return createLimitationOutcome('sourceRangesUnchecked', ...textsOf(plan, packet, open))
}

function limitedInOutput(plan: Plan, packet: Packet, decision: Decision): LimitationOutcome | undefined {
  if (decision.kind !== 'endpoints') return undefined
  const early = findEarlyLimitation(plan, packet, decision)
  if (early !== undefined) return early
  const guard = findBlockingVerdict(plan, packet, packet.destination, packet.destinationPort)
  if (guard !== undefined) return createLimitationOutcome('guardedAddress', guard)
  return createLimitationOutcome('endpointRejected', ...textsOf(plan, packet, decision))
}

/** Returns the outcomes of a packet after DNAT to each endpoint, in the notation of `formatDecision`. */
function textsOf(plan: Plan, packet: Packet, { servicePort, candidates }: ToEndpoints): readonly string[] {
  const { protocol } = servicePort
  return candidates.map(({ endpoint: { ip, port }, weight: { denominator }, masquerade }) => {
    const share = denominator === 1 ? '1' : `1/${denominator}`
    return (
      blockingVerdictAt(plan, { ...packet, protocol }, ip, port) ??
      formatEndpointOutcome(joinHostPort(ip, port), masquerade, share)
    )
  })
}

/**
 * Returns the verdict of the filters at the input or forward hook. A packet of the node traverses neither hook, unless
 * it goes to the node itself.
 */
function blockingVerdictAt(plan: Plan, packet: Packet, ip: string, port: number): BlockingVerdict | undefined {
  const isOwn = isNodeAddress(plan.node, ip)
  if (!isOwn && packet.origin === 'node') return undefined
  const rejection = isOwn
    ? findInputChainVerdict(plan, packet.protocol, ip, port)
    : findAddressVerdict(plan, packet.protocol, ip, port)
  return rejection ?? findBlockingVerdict(plan, packet, ip, port)
}

function withoutSourceRanges(plan: Plan): Plan {
  const services = plan.services.map((service) => ({
    ...service,
    frontends: service.frontends.map((frontend) => ({ ...frontend, allowedSources: undefined })),
  }))
  return { ...plan, services }
}
