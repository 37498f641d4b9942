import { isLoopback, type Packet } from '@kube-rules/types'
import type { AtFrontend, Candidate, Decision } from '../../plan/decide.js'
import { decisionText } from '../../plan/decision-text.js'
import type { Frontend, FrontendKind, Plan } from '../../plan/plan.js'
import { type Refusal, refusalAmong } from '../shared/refusal.js'

/**
 * What mode iptables makes of a packet, in the words of `decisionText`, where an endpoint has the address and port of a
 * frontend that refuses; undefined where none has. Written from the jumps of kube-proxy's filter table, whose chains see
 * packets after their translation: INPUT leads to the firewall of load balancers, to the accepted health checks and to
 * the refusals of external frontends; FORWARD to the firewall, to the acceptance of what is marked for masquerading, and
 * to the refusals of cluster IPs and external frontends; OUTPUT to the firewall and the refusals of cluster IPs.
 */
export function refusedEndpoints(plan: Plan, packet: Packet, decision: Decision): readonly string[] | undefined {
  if (decision.outcome !== 'endpoints') return undefined
  const refusals = decision.candidates.map((candidate) => refusalOf(plan, packet, decision, candidate))
  if (refusals.every((refusal) => refusal === undefined)) return undefined
  const texts = decision.candidates.flatMap(
    (candidate, place) => refusals[place] ?? decisionText({ ...decision, candidates: [candidate] }),
  )
  return [...new Set(texts)].sort()
}

function refusalOf(
  plan: Plan,
  { origin }: Packet,
  { servicePort: { protocol } }: AtFrontend,
  { endpoint: { ip, port }, masquerade }: Candidate,
): Refusal | undefined {
  const isOwn = isLoopback(ip) || plan.node.addresses.some(({ address }) => address === ip)
  const frontends = plan.services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap((service) => service.frontends)
    .filter(
      (frontend) => frontend.port === port && (frontend.address === ip || (isOwn && frontend.kind === 'nodePort')),
    )
  const firewall: Refusal | undefined = frontends.some(isGuarded) ? 'dropped' : undefined
  const clusterIP = refusalAt(frontends, ['clusterIP'])
  const external = refusalAt(frontends, ['externalIP', 'loadBalancer', 'nodePort'])
  const isHealthCheck = protocol === 'TCP' && plan.services.some((service) => service.healthCheckNodePort === port)
  const inInput = isHealthCheck ? undefined : external
  if (origin === 'node') return firewall ?? clusterIP ?? (isOwn ? inInput : undefined)
  if (isOwn) return firewall ?? inInput
  return firewall ?? (masquerade ? undefined : (clusterIP ?? external))
}

function isGuarded({ allowedSources, route }: Frontend): boolean {
  return allowedSources !== undefined && route.some(({ then }) => then.to === 'pool')
}

function refusalAt(frontends: readonly Frontend[], kinds: readonly FrontendKind[]): Refusal | undefined {
  return refusalAmong(frontends.filter(({ kind }) => kinds.includes(kind)))
}
