import type { Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { stopsOf } from '@kube-rules/compiler/internal/plan/proxy-claims'
import { type Proxied, proxiedOf } from '@kube-rules/compiler/internal/targets/userspace/planning/proxied'
import { isLoopback } from '@kube-rules/types'
import type { Explanation, TracedPacket } from '../explanation.js'

/** Predicates that select the packets affected by each limitation of mode userspace. */
export const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  noSctp: { where: ({ packet }) => packet.protocol === 'SCTP', masquerade: ({ packet }) => packet.protocol === 'SCTP' },
  policiesIgnored: { where: (traced) => isTaken(traced) && ignores(traced, 'policies') },
  sourceRangesIgnored: {
    where: (traced) => isTaken(traced) && ignores(traced, 'sourceRanges') && isSourceRange(traced),
  },
  otherFamilyStops: {
    where: (traced) => traced.decision.outcome === 'passes' && wantedBy(traced)?.isCutShort === true,
  },
  claimStops: { where: (traced) => traced.decision.outcome === 'passes' && isStopped(traced) },
  oneFamily: { where: isNotOpened },
  topologyIgnored: { where: (traced) => isTaken(traced) && traced.wanted.outcome === 'endpoints' },
  externalIPsOfOthers: {
    where: ({ plan, packet, wanted }) =>
      'frontend' in wanted &&
      wanted.frontend.kind === 'externalIP' &&
      packet.origin !== 'outside' &&
      !isOwn(plan, packet.destination),
  },
  ipModeIgnored: {
    where: ({ wanted, decision }) =>
      wanted.outcome === 'passes' && decision.outcome === 'proxy' && decision.frontend.kind === 'loadBalancer',
  },
  connectionsTaken: {
    where: (traced) => isTaken(traced) && 'reason' in traced.wanted && REFUSALS.has(traced.wanted.reason),
    masquerade: isTaken,
  },
}

/** Reasons for rejecting a connection that the process instead accepts and closes. */
const REFUSALS: ReadonlySet<string> = new Set(['noEndpoints', 'localhostNodePort'])

function isTaken({ ends }: TracedPacket): boolean {
  return ends.some(({ outcome }) => outcome.kind === 'proxy')
}

function ignores(traced: TracedPacket, what: Proxied['ignores'][number]): boolean {
  return wantedBy(traced)?.ignores.includes(what) === true
}

/**
 * Reports whether the process does not open the expected service port. The plan of the other family does not even
 * contain it.
 */
function isNotOpened(traced: TracedPacket): boolean {
  return 'servicePort' in traced.wanted && wantedBy(traced)?.isOpened !== true
}

/** Reports whether another service port has a port that the expected one claims. */
function isStopped({ plan, wanted }: TracedPacket): boolean {
  if (!('servicePort' in wanted)) return false
  const { text, protocol } = wanted.servicePort
  return stopsOf(plan.services, plan).some(({ id }) => id.text === text && id.protocol === protocol)
}

function isSourceRange({ wanted }: TracedPacket): boolean {
  return wanted.outcome === 'drop' && wanted.reason === 'sourceRange'
}

function wantedBy({ plan, wanted }: TracedPacket): Proxied | undefined {
  if (!('servicePort' in wanted)) return undefined
  const { text, protocol } = wanted.servicePort
  return proxiedOf(plan.services.find(({ id }: ServicePlan) => id.text === text && id.protocol === protocol))
}

function isOwn({ node }: Plan, address: string): boolean {
  return isLoopback(address) || node.addresses.some((own) => own.address === address)
}
