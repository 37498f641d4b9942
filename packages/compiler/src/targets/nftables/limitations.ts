import { cidrContains, parseCidr } from '@kube-rules/types/internal/cidr'
import { hasAllowedSources, permitNodeAtSeveralAddresses } from '../../plan/frontend.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'
import { limitationsOfServicePort, type ServiceLimitation } from '../shared/service-limitation.js'
import { createServiceElements, haveConflictingVerdicts, isCommentTooLong } from './elements.js'
import type { LoweringContext } from './lowering-context.js'
import { servicePortChainsOf } from './names.js'

/** Limitations that affect individual Services. */
export const SERVICE_LIMITATIONS: readonly ServiceLimitation<LoweringContext>[] = [
  {
    code: 'commentTooLong',
    reason:
      'nft limits comments to 128 bytes, so this version of kube-proxy cannot write any rule while this Service exists',
    applies: ({ id }, { features }) => !features.cutComments && isCommentTooLong(id.text),
  },
  {
    code: 'conflictingVerdicts',
    reason:
      'up to 1.31, nft rejects two verdicts for one address and port, so kube-proxy cannot write any rule while this Service exists',
    applies: (plan, lowering) =>
      !lowering.features.laterFrontendWins &&
      haveConflictingVerdicts(createServiceElements(plan, servicePortChainsOf(plan.id), lowering)),
  },
  {
    code: 'guardedWithoutEndpoints',
    reason:
      'source ranges are checked before endpoints, so packets of disallowed clients are dropped instead of rejected',
    applies: ({ reachable, frontends }, { features }) =>
      !features.alphaTable && reachable.length === 0 && frontends.some(hasAllowedSources),
  },
  {
    code: 'sourceRangesUnchecked',
    reason:
      'up to 1.29, source ranges are checked only for locally generated packets, because filter chains see all other packets only after DNAT',
    applies: ({ frontends }, { features }) => features.alphaTable && frontends.some(hasAllowedSources),
  },
  {
    code: 'otherLoadBalancerIPs',
    reason: 'up to 1.29, load-balancer IPs of a Service drop packets from each other',
    applies: ({ frontends }, { features }) => features.alphaTable && permitNodeAtSeveralAddresses(frontends),
  },
  {
    code: 'overlappingSourceRanges',
    reason:
      'up to 1.29, nft rejects overlapping source ranges, so kube-proxy cannot write any rule while this Service exists',
    applies: ({ frontends }, { features }) => features.alphaTable && frontends.some(hasOverlappingSources),
  },
]

/**
 * Reports whether source ranges of a frontend overlap. nft accepts a larger range only after the smaller ranges that it
 * contains. The order in the set differs from the order in the Service, so any overlap may be rejected.
 */
function hasOverlappingSources({ address = '', allowedSources }: Frontend): boolean {
  const { ranges, includesThisNode } = allowedSources ?? { ranges: [], includesThisNode: false }
  if (includesThisNode && ranges.some((range) => cidrContains(range, address))) return true
  // Networks overlap only if one contains the other.
  const networks = new Set(ranges.map((range) => `${range.address}/${range.prefixLength}`))
  const lengths = [...new Set(ranges.map(({ prefixLength }) => prefixLength))]
  return ranges.some((range) =>
    lengths.some(
      (length) => length < range.prefixLength && networks.has(parseCidr(`${range.address}/${length}`)?.text ?? ''),
    ),
  )
}

/**
 * Limitations that affect all Services equally and are not reported per Service.
 * Only the documentation contains them.
 */
export const GENERAL_LIMITATIONS: readonly Limitation[] = [
  {
    code: 'otherPortsRejected',
    reason: 'packets to other ports of cluster IPs are rejected if they are forwarded or leave the node',
  },
  {
    code: 'unallocatedDropped',
    reason: 'packets to unallocated addresses of a ServiceCIDR are dropped if they are forwarded or leave the node',
  },
  {
    code: 'healthCheckNotAccepted',
    reason: 'no rule accepts packets for health-check node ports: a table cannot override a drop in another table',
  },
  {
    code: 'ownPacketsNotShortCircuited',
    reason:
      'up to 1.33, without a local endpoint, locally generated packets to external destinations with policy Local are dropped, because filter chains precede DNAT',
  },
  {
    code: 'ownPacketsRejected',
    reason:
      'up to 1.33, locally generated packets are rejected if a Service without endpoints has the same address and port, because filter chains precede DNAT',
  },
  {
    code: 'guardedAddress',
    reason: 'source ranges also apply to an external IP that is also a load-balancer IP',
  },
  {
    code: 'endpointRejected',
    reason:
      'packets to an endpoint are rejected if a Service without endpoints has the same address and port, because filter chains see packets after DNAT',
  },
  {
    code: 'remoteHairpin',
    reason: 'from 1.36 on, hairpin packets are masqueraded only for local endpoints and after DNAT',
  },
  {
    code: 'externalClusterIP',
    reason:
      'packets to an external or load-balancer IP that is a cluster IP are masqueraded as for a cluster IP; up to 1.35, only within a Service with policies Local',
  },
]

/** Returns the limitations that affect one particular service port of the plan. */
export function limitationsOf(service: ServicePlan, lowering: LoweringContext): readonly Limitation[] {
  return limitationsOfServicePort(SERVICE_LIMITATIONS, service, lowering)
}
