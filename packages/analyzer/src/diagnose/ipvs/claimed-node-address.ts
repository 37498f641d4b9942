import type { Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { FRONTEND_LABELS } from '../../explain/no-service.js'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  findDecidingStep,
  formatOutcomes,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from '../packet-diagnosis-context.js'
import { formatServiceCommand } from '../remedies.js'

/** An address of a node that a Service claims too. */
interface ClaimedAddress {
  readonly address: string
  readonly service: ServicePlan
  readonly frontend: Frontend
  /** The other Node with this address; absent if it is an address of this node. */
  readonly otherNode?: string | undefined
}

/**
 * Diagnoses a packet in ipvs mode that a node loses because a Service claims the address of a node. ipvs mode binds the
 * addresses of Services to every node, so a node no longer sends packets to another Node with such an address, and from
 * 1.26 on it rejects all ports that the Service does not have.
 */
export function diagnoseClaimedNodeAddress(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { expected, packet, paths } = facts
  if (expected === undefined || expected.mode !== 'ipvs') return undefined
  const [path] = paths
  const isRejected = paths.every(({ outcome }) => outcome.kind === 'rejected')
  const isKept = paths.every(({ outcome }) => outcome.kind === 'unmatched' && outcome.to === 'node')
  const step = findDecidingStep(facts)
  const claimed = addressesOf(facts, expected).flatMap((address) => findClaim(address, expected) ?? [])[0]
  if (path === undefined || claimed === undefined) return undefined
  if (isRejected && step?.text.includes(BOUND_ADDRESSES)) {
    return { ...describeRejection(claimed, facts, expected), ...createDiagnosisRule(step) }
  }
  if (!isKept || packet.destination !== claimed.address) return undefined
  const isOwn = claimed.otherNode === undefined
  // Packets of other nodes to this node are external, too.
  if (isOwn && (packet.origin !== 'outside' || !expected.hasOtherNodes())) return undefined
  return {
    ...describeLoss(claimed, facts, expected),
    rule: `address add ${claimed.address}/${packet.destination.includes(':') ? 128 : 32} dev kube-ipvs0`,
    ruleStatus: `bound to kube-ipvs0 of ${isOwn ? 'other nodes' : 'this node'}`,
  }
}

/** The set with the addresses of kube-ipvs0. A rule of 1.26 and newer rejects packets to them that no Service serves. */
const BOUND_ADDRESSES = 'KUBE-IPVS-IPS'

/** Returns the addresses where the packet may have ended: the endpoints of its Service, and its destination. */
function addressesOf({ packet }: PacketDiagnosisContext, { decision }: ExpectedHandling): readonly string[] {
  const candidates = decision.kind === 'endpoints' ? decision.candidates : []
  return [...candidates.map(({ endpoint }) => endpoint.ip), packet.destination]
}

function findClaim(address: string, { plan, otherNodeWith }: ExpectedHandling): ClaimedAddress | undefined {
  const otherNode = otherNodeWith(address)
  if (otherNode === undefined && !isOwnAddress(address, plan)) return undefined
  for (const service of plan.services) {
    const frontend = service.frontends.find((each) => each.address === address)
    if (frontend !== undefined) return { address, service, frontend, otherNode }
  }
  return undefined
}

function isOwnAddress(address: string, { node }: Plan): boolean {
  return node.addresses.some((own) => own.address === address)
}

function describeRejection(
  claimed: ClaimedAddress,
  { packet, paths }: PacketDiagnosisContext,
  { plan, version, decision }: ExpectedHandling,
): Omit<Diagnosis, 'rule' | 'ruleStatus'> {
  const { address, otherNode, frontend } = claimed
  const object = formatService(claimed.service.id)
  const owner = otherNode === undefined ? 'this node' : `Node ${otherNode}`
  const label = FRONTEND_LABELS[frontend.kind]
  const endpoint =
    decision.kind === 'endpoints' && address !== packet.destination
      ? `the endpoint ${address} of ${formatService(decision.servicePort)}`
      : address
  return {
    code: 'claimedNodeAddress',
    summary: prefixWithNode(
      plan,
      `${formatPackets(packet)} ${formatOutcomes(paths)}: ${endpoint}, an address of ${owner}, is also the ${label} of ${object}`,
    ),
    cause: `kube-proxy ${version} in ipvs mode rejects packets to the addresses of Services, except to the ports of the Services; ${object} has ${address}, so it cuts off every other port there, such as ssh, the kubelet and the API server`,
    steps: removeSteps(claimed),
    object,
  }
}

function describeLoss(
  claimed: ClaimedAddress,
  { packet }: PacketDiagnosisContext,
  { plan }: ExpectedHandling,
): Omit<Diagnosis, 'rule' | 'ruleStatus'> {
  const { address, frontend, otherNode } = claimed
  const object = formatService(claimed.service.id)
  const label = `the ${FRONTEND_LABELS[frontend.kind]} of ${object}`
  const node = otherNode ?? plan.node.name
  const other = otherNode === undefined ? 'other ' : ''
  return {
    code: 'claimedNodeAddress',
    summary: prefixWithNode(
      plan,
      otherNode === undefined
        ? `${formatPackets(packet)} reach the node, but not from other nodes: ${address} is also ${label}`
        : `${formatPackets(packet)} do not reach Node ${node}: its address ${address} is also ${label}, so they stay on this node`,
    ),
    cause: `kube-proxy in ipvs mode binds ${address} to kube-ipvs0 on every ${other}node because of ${object}, and a node keeps packets to its own addresses; the ${other}nodes cannot reach Node ${node} at ${address} on any port, such as the API server or the kubelet, and may become NotReady`,
    steps: removeSteps(claimed),
    object,
  }
}

/** Returns steps that give the Service another address. The node port or the cluster IP serves clients meanwhile. */
function removeSteps({ address, service, frontend }: ClaimedAddress): readonly DiagnosisStep[] {
  const object = formatService(service.id)
  const impact = `clients of ${object} must use another address, such as its cluster IP or node port`
  const command = formatServiceCommand(service.id, (namespace, name) => `kubectl -n ${namespace} edit svc ${name}`)
  return frontend.kind === 'externalIP'
    ? [
        {
          text: `Remove ${address} from externalIPs of ${object} with kubectl`,
          command,
          change: { kind: 'removeExternalIP', namespace: service.id.namespace, name: service.id.name, address },
          impact,
        },
      ]
    : [
        {
          text: `Give ${object} a load-balancer IP that no node has: in K3s, start the servers with --disable=servicelb and use another load balancer`,
          impact,
        },
        {
          text: 'If the node port is sufficient, change the type of the Service to NodePort with kubectl',
          command,
          impact,
        },
      ]
}
