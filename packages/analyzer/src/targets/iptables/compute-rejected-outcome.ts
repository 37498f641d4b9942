import type { Decision, EndpointCandidate, FrontendDecision } from '@kube-rules/compiler/internal/plan/decide'
import { formatDecision } from '@kube-rules/compiler/internal/plan/format-decision'
import type { Frontend, FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { type BlockingVerdict, combineBlockingVerdicts } from '../shared/blocking-verdict.js'
import { legacyBlockingVerdict } from './legacy-blocking-verdict.js'

/**
 * Computes the outcome of a packet in mode iptables if an endpoint has the address and port of a rejecting frontend.
 * Returns the notation of `formatDecision`; undefined if no endpoint has such an address.
 *
 * The chains of the filter table see packets after DNAT. INPUT jumps to the load-balancer firewall, to accepted health
 * checks and to rejects of external frontends. FORWARD jumps to the firewall, to the accept rule for marked packets,
 * and to rejects of cluster IPs and external frontends. OUTPUT jumps to the firewall and to rejects of cluster IPs.
 */
export function computeRejectedOutcome(plan: Plan, packet: Packet, decision: Decision): readonly string[] | undefined {
  if (decision.kind !== 'endpoints') return undefined
  const rejections = decision.candidates.map((candidate) => refusalOf(plan, packet, decision, candidate))
  if (rejections.every((rejection) => rejection === undefined)) return undefined
  const texts = decision.candidates.flatMap(
    (candidate, place) => rejections[place] ?? formatDecision({ ...decision, candidates: [candidate] }),
  )
  return [...new Set(texts)].sort()
}

function refusalOf(
  plan: Plan,
  { origin }: Packet,
  { servicePort: { protocol } }: FrontendDecision,
  { endpoint: { ip, port }, masquerade }: EndpointCandidate,
): BlockingVerdict | undefined {
  const isOwn = isLoopback(ip) || plan.node.addresses.some(({ address }) => address === ip)
  const frontends = plan.services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap((service) => service.frontends)
    .filter(
      (frontend) => frontend.port === port && (frontend.address === ip || (isOwn && frontend.kind === 'nodePort')),
    )
  const isHealthCheck = protocol === 'TCP' && plan.services.some((service) => service.healthCheckNodePort === port)
  if (!plan.kernel.features.dropsInFilter) {
    return legacyBlockingVerdict(frontends, { origin, isOwn, isHealthCheck, masquerade }, plan.kernel.features)
  }
  const firewall: BlockingVerdict | undefined = frontends.some(isGuarded) ? 'dropped' : undefined
  const clusterIP = blockingVerdictAt(frontends, ['clusterIP'])
  const external = blockingVerdictAt(frontends, ['externalIP', 'loadBalancer', 'nodePort'])
  const inInput = isHealthCheck ? undefined : external
  if (origin === 'node') return firewall ?? clusterIP ?? (isOwn ? inInput : undefined)
  if (isOwn) return firewall ?? inInput
  return firewall ?? (masquerade ? undefined : (clusterIP ?? external))
}

function isGuarded({ allowedSources, route }: Frontend): boolean {
  return allowedSources !== undefined && route.some(({ action: then }) => then.kind === 'pool')
}

function blockingVerdictAt(
  frontends: readonly Frontend[],
  kinds: readonly FrontendKind[],
): BlockingVerdict | undefined {
  return combineBlockingVerdicts(frontends.filter(({ kind }) => kinds.includes(kind)))
}
