import {
  type Claimant,
  findClaimants,
  firstClause,
  isAcceptedSource,
  isFromPod,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import { blockingVerdictOf } from '@kube-rules/compiler/internal/plan/frontend'
import type { Clause, Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { hasLowerPrecedence } from '@kube-rules/compiler/internal/plan/precedence'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { Endpoint } from '../shared/packet-walk.js'

/** The result of nat/KUBE-SERVICES for a packet. */
export interface EndpointSelection {
  /** The traversed frontends, in the order of their rules. The last frontend selects the endpoint. */
  readonly visited: readonly Claimant[]
  /** The endpoints, which have equal probabilities. Undefined if no chain rewrites the destination. */
  readonly endpoints: readonly Endpoint[] | undefined
  /** The first frontend that marks the packet for masquerading; undefined without a mark. */
  readonly markedFor: Claimant | undefined
}

/**
 * Follows a packet through the rules of all frontends that claim its destination. The rules of addresses of Services
 * precede those of node ports. The rules of the first `bypassed` external IPs do not match the packet, but the rules that
 * mark it for masquerading do.
 */
export function selectEndpoints(plan: Plan, packet: Packet, bypassed: number): EndpointSelection {
  const visited: Claimant[] = []
  let markedFor: Claimant | undefined
  let remaining = bypassed
  for (const claimant of inOrderOfRules(findClaimants(plan, packet))) {
    const service = plan.services.find(({ id }) => id === claimant.servicePort)
    if (service === undefined) continue
    const { frontend } = claimant
    const isBypassed = frontend.kind === 'externalIP' && remaining-- > 0
    const { endpoints, marks } = visitFrontend(plan, { service, frontend, packet, isBypassed })
    visited.push(claimant)
    if (marks) markedFor ??= claimant
    if (endpoints.length > 0) return { visited, endpoints, markedFor }
  }
  return { visited, endpoints: undefined, markedFor }
}

function inOrderOfRules(claimants: readonly Claimant[]): readonly Claimant[] {
  const yields = ({ frontend }: Claimant) => hasLowerPrecedence(frontend)
  return [...claimants.filter((each) => !yields(each)), ...claimants.filter(yields)]
}

interface FrontendVisit {
  readonly service: ServicePlan
  readonly frontend: Frontend
  readonly packet: Packet
  readonly isBypassed: boolean
}

interface FrontendResult {
  /** The possible endpoints. Empty if the packet continues to the rules of the next frontend. */
  readonly endpoints: readonly Endpoint[]
  /** Whether the packet is marked for masquerading. */
  readonly marks: boolean
}

function visitFrontend(plan: Plan, visit: FrontendVisit): FrontendResult {
  const { service, frontend, packet } = visit
  if (blockingVerdictOf(frontend) === 'reject') return { endpoints: [], marks: false }
  const clause = firstClause(frontend, plan.node, packet)
  const isEntered = !visit.isBypassed && isAcceptedSource(service, frontend, packet.source)
  const endpoints = isEntered && clause.action.kind === 'pool' ? service.pools[clause.action.pool] : []
  const marks = plan.kernel.features.xlbChains
    ? marksInXlbVersions(plan, visit, clause, isEntered)
    : isEntered && (clause.masquerade || marksBeforeDrop(plan, visit, clause))
  return { endpoints, marks }
}

/** Reports whether KUBE-SVL of 1.24 masquerades a packet to the cluster IP although it has no endpoints. */
function marksBeforeDrop(plan: Plan, { frontend, packet }: FrontendVisit, { action }: Clause): boolean {
  const { clusterIPMasquerade: policy, kernel, node } = plan
  if (kernel.features.dropsInFilter || frontend.kind !== 'clusterIP' || action.kind !== 'drop') return false
  return policy === 'all' || (policy === 'offCluster' && !isFromPod(node.localTrafficDetection, packet))
}

/**
 * Reports whether rules up to 1.23 mark a packet. KUBE-FW marks packets from every source, also if it then does not
 * accept them, and KUBE-NODEPORTS marks packets from loopback addresses even with policy Local.
 */
function marksInXlbVersions(
  plan: Plan,
  { service, frontend, packet }: FrontendVisit,
  { masquerade, action }: Clause,
  isEntered: boolean,
): boolean {
  const { kind, preservesClientIP } = frontend
  const entersServiceChain = isEntered && action.kind === 'pool' && action.pool === 'cluster'
  const { masqueradeInServiceChain } = plan.kernel.features
  if (masqueradeInServiceChain && entersServiceChain && isMarkedInServiceChain(plan, service, packet)) return true
  if (!preservesClientIP) return kind === 'loadBalancer' || (masquerade && !masqueradeInServiceChain)
  // KUBE-XLB has no rules without endpoints.
  const isMarkedInXlb = isEntered && masquerade && service.reachable.length > 0
  return isMarkedInXlb || (kind === 'nodePort' && isLoopback(packet.source))
}

/** Reports whether KUBE-SVC of 1.22 and 1.23 masquerades a packet for any frontend with its destination. */
function isMarkedInServiceChain({ node }: Plan, { frontends }: ServicePlan, packet: Packet): boolean {
  return frontends.some(
    (frontend) =>
      frontend.kind !== 'loadBalancer' &&
      !frontend.preservesClientIP &&
      frontend.port === packet.destinationPort &&
      (frontend.address ?? packet.destination) === packet.destination &&
      firstClause(frontend, node, packet).masquerade,
  )
}

/**
 * Returns the possible numbers of external IPs with rules that do not match a packet. These external IPs are the first
 * ones in the order of the rules. Up to 1.20, the rules of external IPs match neither packets from a bridge nor packets
 * from addresses of the node, unless the external IP is an address of the node. Whether a packet of a pod comes through a
 * bridge is unknown.
 */
export function countBypassedExternalIPs(plan: Plan, packet: Packet): readonly number[] {
  const { kernel, node } = plan
  if (!kernel.features.externalIPsSpareBridges || isNodeAddress(node, packet.destination)) return [0]
  const count = findClaimants(plan, packet).filter(({ frontend }) => frontend.kind === 'externalIP').length
  if (isNodeAddress(node, packet.source)) return [count]
  return packet.origin === 'pod' ? Array.from({ length: count + 1 }, (_, index) => index) : [0]
}
