import type { FrontendDecision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  findDecidingStep,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from '../packet-diagnosis-context.js'
import {
  createClusterIpStep,
  createClusterPolicyStep,
  createRestartStep,
  findClusterIp,
  trafficPolicyFieldOf,
  VERIFY_STEP,
} from '../remedies.js'
import { createWeightDiagnosis, isStoppedServer, type RealServerDrift } from './real-servers.js'

/** Diagnoses a packet for a virtual server without real servers although the objects define endpoints. */
export function diagnoseEmptyVirtualServer(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { packet, paths, expected } = facts
  const step = findDecidingStep(facts)
  if (step?.table !== 'ipvs' || paths[0]?.outcome.kind !== 'rejected' || expected?.decision.kind !== 'endpoints')
    return undefined
  const { decision, plan } = expected
  const stopped = findStoppedServer(packet, expected)
  if (stopped !== undefined) return describeStoppedServer(stopped, facts, decision, plan)
  const { servicePort, frontend } = decision
  // If kube-proxy writes real servers for the packet, the policy is not the reason.
  const isLocal = frontend.usesLocalPolicy && facts.reason?.divergence !== 'drift'
  const bound = `ipvs mode handles packets to ${packet.destination} on the node itself (its interface kube-ipvs0 has that address)`
  return {
    code: 'emptyVirtualServer',
    summary: prefixWithNode(
      plan,
      isLocal
        ? `${formatPackets(packet)} are rejected: ${servicePort.text} has no endpoint on this node`
        : `${formatPackets(packet)} are rejected: the node has no endpoints for ${servicePort.text}`,
    ),
    cause: isLocal
      ? `${trafficPolicyFieldOf(frontend.kind)} of ${formatService(servicePort)} is Local, so a node uses only its own endpoints, and ${bound}; this is the normal behavior of ipvs mode`
      : `${formatService(servicePort)} has endpoints that kube-proxy did not write, and ${bound}`,
    steps: isLocal ? alternativeSteps(decision, plan) : [createRestartStep(plan), VERIFY_STEP],
    object: formatService(servicePort),
    ...createDiagnosisRule(step, 'the Service without endpoints (virtual server without real servers)'),
  }
}

/**
 * Returns steps that use the cluster IP inside the cluster or set the traffic policy to Cluster. Returns only the
 * latter if the policy of the cluster IP is also Local.
 */
function alternativeSteps(at: FrontendDecision, plan: Plan): readonly DiagnosisStep[] {
  const { servicePort, frontend } = at
  const field = trafficPolicyFieldOf(frontend.kind)
  const clusterIp = findClusterIp(at, plan)
  if (clusterIp === undefined) return [createClusterPolicyStep(field, servicePort)]
  const condition = `If ${frontend.address ?? 'the node port'} has to work from there`
  return [createClusterIpStep(clusterIp), createClusterPolicyStep(field, servicePort, condition)]
}

/** Finds a real server of the packet with the weight 0 instead of another one: it gets no new connections. */
function findStoppedServer(
  { destination, destinationPort, protocol }: Packet,
  expected: ExpectedHandling,
): RealServerDrift | undefined {
  const server = joinHostPort(destination, destinationPort)
  return expected
    .drift()
    .flatMap(({ drift }) => drift)
    .filter(isStoppedServer)
    .find(({ part }) => part.protocol === protocol && part.virtualServer === server)
}

function describeStoppedServer(
  drift: RealServerDrift,
  { packet }: PacketDiagnosisContext,
  { servicePort }: FrontendDecision,
  plan: Plan,
): Diagnosis {
  const summary = `${formatPackets(packet)} are rejected: endpoint ${drift.part.realServer} of ${servicePort.text} gets no new connections, because its weight is 0`
  return createWeightDiagnosis(drift, { summary, servicePort, plan, status: 'out of date' })
}
