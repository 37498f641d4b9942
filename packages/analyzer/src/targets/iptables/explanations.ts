import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { refusedEndpoints } from '@kube-rules/compiler/internal/targets/iptables/refused-endpoints'
import { refusalAmong } from '@kube-rules/compiler/internal/targets/shared/blocking-verdict'
import { isLoopback, type Packet } from '@kube-rules/types'
import type { LimitationPredicate } from '../limitation-predicate.js'
import { insteadOf } from '../shared/ends-text.js'

/** Predicates that select the packets affected by each limitation of mode iptables, by their outcome. */
export const EXPLANATIONS: Readonly<Record<string, LimitationPredicate>> = {
  ownPacketsNotRefused: insteadOf(({ plan, packet, decision }) => ownPacket(plan, packet, decision)),
  nodePortsRefusedEverywhere: insteadOf(({ plan, packet, decision }) => refusedNodePort(plan, packet, decision)),
  endpointRefused: insteadOf(({ plan, packet, decision }) => refusedEndpoints(plan, packet, decision)),
  loopbackGuarded: insteadOf(({ packet, decision }) => guardedLoopback(packet, decision)),
}

function ownPacket(plan: Plan, { origin, destination }: Packet, decision: Decision): readonly string[] | undefined {
  if (decision.kind !== 'reject' && decision.kind !== 'drop') return undefined
  const { frontend, reason } = decision
  const isExternal = frontend.kind === 'externalIP' || frontend.kind === 'loadBalancer'
  const meetsFirewall = frontend.allowedSources !== undefined && reason !== 'noEndpoints'
  const leavesNode = origin === 'node' && !isOfNode(plan, destination)
  return isExternal && !meetsFirewall && leavesNode ? ['unmatched'] : undefined
}

function guardedLoopback({ source, destination }: Packet, { kind: outcome }: Decision): readonly string[] | undefined {
  const isGuarded = isLoopback(destination) && !destination.includes(':') && !isLoopback(source)
  return outcome !== 'endpoints' && isGuarded ? ['dropped'] : undefined
}

function refusedNodePort(
  plan: Plan,
  { destination, destinationPort, protocol }: Packet,
  { kind: outcome }: Decision,
): readonly string[] | undefined {
  if (outcome !== 'unmatched' || !isOfNode(plan, destination)) return undefined
  const nodePorts = plan.services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap(({ frontends }) => frontends)
    .filter(({ kind, port }) => kind === 'nodePort' && port === destinationPort)
  const refusal = refusalAmong(nodePorts)
  return refusal && [refusal]
}

function isOfNode({ node }: Plan, address: string): boolean {
  return isLoopback(address) || node.addresses.some((own) => own.address === address)
}
