import { isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import type { ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { findPortConflicts } from '@kube-rules/compiler/internal/plan/port-conflicts'
import {
  type UserspaceProxyPlan,
  userspaceProxyPlanOf,
} from '@kube-rules/compiler/internal/targets/userspace/planning/plan-service'
import type { LimitationPredicate, TracedPacket } from '../limitation-predicate.js'

/** Predicates that select the packets affected by each limitation of userspace mode. */
export const LIMITATION_PREDICATES: Readonly<Record<string, LimitationPredicate>> = {
  noSctp: { where: ({ packet }) => packet.protocol === 'SCTP', masquerade: ({ packet }) => packet.protocol === 'SCTP' },
  policiesIgnored: { where: (traced) => isTaken(traced) && ignores(traced, 'policies') },
  sourceRangesIgnored: {
    where: (traced) => isTaken(traced) && ignores(traced, 'sourceRanges') && isSourceRange(traced),
  },
  otherFamilyStops: {
    where: (traced) => traced.decision.kind === 'unmatched' && expectedBy(traced)?.stopsEarly === true,
  },
  claimStops: { where: (traced) => traced.decision.kind === 'unmatched' && isStopped(traced) },
  oneFamily: { where: isNotOpened },
  topologyIgnored: { where: (traced) => isTaken(traced) && traced.expected.kind === 'endpoints' },
  externalIPsOfOthers: {
    where: ({ plan, packet, expected }) =>
      'frontend' in expected &&
      expected.frontend.kind === 'externalIP' &&
      packet.origin !== 'outside' &&
      !isNodeAddress(plan.node, packet.destination),
  },
  ipModeIgnored: {
    where: ({ expected, decision }) =>
      expected.kind === 'unmatched' && decision.kind === 'proxy' && decision.frontend.kind === 'loadBalancer',
  },
  connectionsTaken: {
    where: (traced) => isTaken(traced) && 'reason' in traced.expected && REFUSALS.has(traced.expected.reason),
    masquerade: isTaken,
  },
}

/**
 * Reasons of a plan that make other modes reject a connection. In userspace mode, the userspace proxy instead accepts
 * the connection and then closes it.
 */
const REFUSALS: ReadonlySet<string> = new Set(['noEndpoints', 'localhostNodePort'])

function isTaken({ ends }: TracedPacket): boolean {
  return ends.some(({ outcome }) => outcome.kind === 'proxy')
}

function ignores(traced: TracedPacket, what: UserspaceProxyPlan['ignores'][number]): boolean {
  return expectedBy(traced)?.ignores.includes(what) === true
}

/**
 * Reports whether the userspace proxy does not open the expected service port. If the proxy serves only the other
 * address family, the plan does not even contain this service port.
 */
function isNotOpened(traced: TracedPacket): boolean {
  return 'servicePort' in traced.expected && expectedBy(traced)?.isOpened !== true
}

/** Reports whether another service port already uses a port that the expected service port claims. */
function isStopped({ plan, expected }: TracedPacket): boolean {
  if (!('servicePort' in expected)) return false
  const { text, protocol } = expected.servicePort
  return findPortConflicts(plan.services, plan).some(({ id }) => id.text === text && id.protocol === protocol)
}

function isSourceRange({ expected }: TracedPacket): boolean {
  return expected.kind === 'drop' && expected.reason === 'sourceRange'
}

function expectedBy({ plan, expected }: TracedPacket): UserspaceProxyPlan | undefined {
  if (!('servicePort' in expected)) return undefined
  const { text, protocol } = expected.servicePort
  return userspaceProxyPlanOf(plan.services.find(({ id }: ServicePlan) => id.text === text && id.protocol === protocol))
}
