import {
  type Decision,
  type EndpointCandidate,
  type FrontendDecision,
  firstClause,
  isFromPod,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet, Protocol } from '@kube-rules/types'
import { cidrContains, parseCidr } from '@kube-rules/types/internal/cidr'
import { isLoopback, joinHostPort } from '@kube-rules/types/internal/ip'
import { type BlockingVerdict, combineBlockingVerdicts } from '../shared/blocking-verdict.js'

/** The outcome of a packet in nftables mode, in the notation of `formatDecision`, with the responsible limitation. */
export interface LimitationOutcome {
  readonly code: string
  readonly texts: readonly string[]
}

/**
 * Computes the effect of a limitation of nftables mode on a packet. Undefined if no limitation applies. The effect
 * depends on the base chains. Incoming and locally generated packets traverse the chain `firewall-check` before the
 * chain `services` rewrites their destination. Afterwards, forwarded and outgoing packets traverse
 * `service-endpoints-check` and `cluster-ips-check`, and packets to the node traverse `nodeport-endpoints-check` and
 * `service-endpoints-check`. Up to 1.33, locally generated packets traverse `service-endpoints-check` before DNAT.
 */
export function findNftablesLimitation(plan: Plan, packet: Packet, decision: Decision): LimitationOutcome | undefined {
  const early = findEarlyLimitation(plan, packet, decision)
  if (early !== undefined) return early
  const guard = findBlockingVerdict(plan, packet, packet.destination, packet.destinationPort)
  // With the feature `earlyFilters`, packets are rejected before source ranges are checked.
  const isRejectedBefore = plan.kernel.features.earlyFilters && packet.origin === 'node' && decision.kind === 'reject'
  const isOtherwise = decision.kind !== 'drop' && !isRejectedBefore
  if (guard !== undefined && isOtherwise) return createLimitationOutcome(guardCode(decision), guard)
  switch (decision.kind) {
    case 'unmatched':
    case 'healthCheck':
      return untranslated(plan, packet)
    case 'endpoints':
      return translated(plan, packet, decision)
    default:
      return undefined
  }
}

/**
 * Computes the effect of the filters before DNAT at the output hook, which kube-proxy has up to 1.33, on a packet with
 * endpoints. Undefined if they have no effect. The filters apply the verdicts of all Services with the destination. In
 * 1.29 they also apply the verdicts of node ports.
 */
export function findEarlyLimitation(plan: Plan, packet: Packet, decision: Decision): LimitationOutcome | undefined {
  const { alphaTable, earlyFilters } = plan.kernel.features
  if (decision.kind !== 'endpoints' || packet.origin !== 'node' || !earlyFilters) return undefined
  const { destination, destinationPort, protocol } = packet
  const checksNodePorts = alphaTable && isNodeAddress(plan.node, destination)
  const find = checksNodePorts ? findInputChainVerdict : findAddressVerdict
  const verdict = find(plan, protocol, destination, destinationPort)
  if (verdict === undefined) return undefined
  const { address, clauses } = decision.frontend
  const isOwnVerdict = (checksNodePorts || address !== undefined) && clauses.at(-1)?.action.kind === 'drop'
  return createLimitationOutcome(isOwnVerdict ? 'ownPacketsNotShortCircuited' : 'ownPacketsRejected', verdict)
}

export function createLimitationOutcome(code: string, ...texts: readonly string[]): LimitationOutcome {
  return { code, texts: [...new Set(texts)].sort() }
}

function guardCode({ kind: outcome }: Decision): string {
  return outcome === 'reject' ? 'guardedWithoutEndpoints' : 'guardedAddress'
}

/**
 * Returns the verdict `dropped` if source ranges at an address and port exclude the source of a packet, otherwise
 * undefined.
 */
export function findBlockingVerdict(
  { services }: Plan,
  { source, protocol }: Packet,
  address: string,
  port: number,
): BlockingVerdict | undefined {
  const guarding = services.find(
    ({ id, frontends }) =>
      id.protocol === protocol &&
      frontends.some((each) => each.allowedSources !== undefined && each.address === address && each.port === port),
  )
  return guarding === undefined || isAccepted(guarding, source) ? undefined : 'dropped'
}

function isAccepted({ frontends }: ServicePlan, source: string): boolean {
  const allowed = frontends.find(({ allowedSources }) => allowedSources !== undefined)?.allowedSources
  if (allowed === undefined || allowed.ranges.some((range) => cidrContains(range, source))) return true
  return allowed.includesThisNode && frontends.some((each) => each.kind === 'loadBalancer' && each.address === source)
}

function untranslated(plan: Plan, { origin, destination }: Packet): LimitationOutcome | undefined {
  const isForwardedOrLeaves = origin === 'node' || !isNodeAddress(plan.node, destination)
  if (!isForwardedOrLeaves) return undefined
  if (isClusterIP(plan, destination)) return createLimitationOutcome('otherPortsRejected', 'rejected')
  const isUnallocated = plan.serviceCIDRs.some((text) => {
    const network = parseCidr(text)
    return network !== undefined && cidrContains(network, destination)
  })
  return isUnallocated ? createLimitationOutcome('unallocatedDropped', 'dropped') : undefined
}

function translated(
  plan: Plan,
  packet: Packet,
  decision: Decision & { readonly kind: 'endpoints' },
): LimitationOutcome | undefined {
  const rejections = decision.candidates.map((candidate) => filterVerdict(plan, packet, decision, candidate))
  const masqueraded = decision.candidates.map((candidate) => isMasqueraded(plan, packet, decision, candidate))
  const isRejected = rejections.some((rejection) => rejection !== undefined)
  const deviating = decision.candidates.find(({ masquerade }, place) => masquerade !== masqueraded[place])
  if (!isRejected && deviating === undefined) return undefined
  const texts = decision.candidates.map(({ endpoint, weight }, place): string => {
    const share = weight.denominator === 1 ? '1' : `1/${weight.denominator}`
    return rejections[place] ?? `${joinHostPort(endpoint.ip, endpoint.port)}${masqueraded[place] ? '*' : ''} ${share}`
  })
  if (isRejected) return createLimitationOutcome('endpointRejected', ...texts)
  return createLimitationOutcome(deviating?.masquerade ? 'remoteHairpin' : 'externalClusterIP', ...texts)
}

/** Reports whether the rules masquerade a packet to an endpoint. */
function isMasqueraded(plan: Plan, packet: Packet, decision: FrontendDecision, candidate: EndpointCandidate): boolean {
  const { squashedEndpoints } = plan.kernel.features
  const staysOnNode = packet.origin !== 'node' && isNodeAddress(plan.node, candidate.endpoint.ip)
  const isAtClusterIP = squashedEndpoints
    ? isMasqueradedAsClusterIP(plan, packet)
    : isMasqueradedInPoolChain(plan, packet, decision)
  if (!staysOnNode && isAtClusterIP) return true
  return candidate.masquerade && !(squashedEndpoints && losesHairpin(plan, packet, decision, candidate))
}

/**
 * Reports whether the chain of a pool masquerades a packet to an external frontend as a packet to the cluster IP of the
 * same service port, because both have the same address and use the same pool.
 */
function isMasqueradedInPoolChain(plan: Plan, packet: Packet, { servicePort, frontend }: FrontendDecision): boolean {
  const clusterIP = plan.services
    .find(({ id }) => id === servicePort)
    ?.frontends.find((each) => each.kind === 'clusterIP' && each.address === packet.destination)
  if (clusterIP === undefined || frontend.kind === 'nodePort') return false
  const { action } = firstClause(frontend, plan.node, packet)
  const { action: ofClusterIP, masquerade } = firstClause(clusterIP, plan.node, packet)
  return masquerade && action.kind === 'pool' && ofClusterIP.kind === 'pool' && action.pool === ofClusterIP.pool
}

/** Reports whether the rule that masquerades packets to all ports of cluster IPs applies to a packet. */
function isMasqueradedAsClusterIP(plan: Plan, packet: Packet): boolean {
  const { clusterIPMasquerade: policy, node } = plan
  if (policy === 'none' || !isClusterIP(plan, packet.destination)) return false
  return policy === 'all' || !isFromPod(node.localTrafficDetection, packet)
}

/**
 * Reports whether a packet is hairpin traffic without masquerading, of an endpoint that is not on this node. Such a
 * packet arrives here only with a forged source address.
 */
function losesHairpin(
  plan: Plan,
  { source, protocol }: Packet,
  { frontend, reason }: FrontendDecision,
  { endpoint }: EndpointCandidate,
): boolean {
  if (endpoint.ip !== source) return false
  if (frontend.clauses.find((clause) => clause.reason === reason)?.masquerade) return false
  const isOnNode = plan.services.some(
    ({ id, reachable }) =>
      id.protocol === protocol &&
      reachable.some(({ ip, port, local }) => local && ip === endpoint.ip && port === endpoint.port),
  )
  return !isOnNode
}

/** Returns the result of the filters for a packet after DNAT to its endpoint. */
function filterVerdict(
  plan: Plan,
  packet: Packet,
  { servicePort: { protocol } }: FrontendDecision,
  { endpoint: { ip, port } }: EndpointCandidate,
): BlockingVerdict | undefined {
  const isOwn = isNodeAddress(plan.node, ip)
  const atAddress = findAddressVerdict(plan, protocol, ip, port)
  const atClusterIP = isClusterIP(plan, ip) ? 'rejected' : undefined
  const inInput = findInputChainVerdict(plan, protocol, ip, port)
  if (packet.origin !== 'node') return isOwn ? inInput : (atAddress ?? atClusterIP)
  const inOutput = (plan.kernel.features.earlyFilters ? undefined : atAddress) ?? atClusterIP
  // Packets of the node to itself also traverse the input hook.
  return inOutput ?? (isOwn ? (findBlockingVerdict(plan, packet, ip, port) ?? inInput) : undefined)
}

/** Returns the verdict on a destination at the input hook. The verdict on its port as a node port has precedence. */
export function findInputChainVerdict(
  plan: Plan,
  protocol: Protocol,
  ip: string,
  port: number,
): BlockingVerdict | undefined {
  const isNodePortAddress = plan.nodePorts.all ? !isLoopback(ip) : plan.nodePorts.addresses.includes(ip)
  const atNodePort = isNodePortAddress
    ? combineBlockingVerdicts(
        frontendsOf(plan, protocol).filter((each) => each.kind === 'nodePort' && each.port === port),
      )
    : undefined
  return atNodePort ?? findAddressVerdict(plan, protocol, ip, port)
}

/** Returns the verdict on a destination from the frontends with its address and port; undefined if there is no verdict. */
export function findAddressVerdict(
  plan: Plan,
  protocol: Protocol,
  ip: string,
  port: number,
): BlockingVerdict | undefined {
  return combineBlockingVerdicts(
    frontendsOf(plan, protocol).filter((each) => each.address === ip && each.port === port),
  )
}

function frontendsOf({ services }: Plan, protocol: Protocol): readonly Frontend[] {
  return services.filter(({ id }) => id.protocol === protocol).flatMap((service) => service.frontends)
}

function isClusterIP({ services }: Plan, address: string): boolean {
  return services.some(({ frontends }) =>
    frontends.some((each) => each.kind === 'clusterIP' && each.address === address),
  )
}
