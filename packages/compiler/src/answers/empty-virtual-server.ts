import type { Answer } from './answer.js'
import { decidingStep, type PacketFacts, packetsText, ruleText, serviceText } from './packet-facts.js'
import { clusterPolicyText, restartText } from './remedies.js'

/** A packet for a virtual server that has no real server, while the objects have endpoints for it. */
export function emptyVirtualServerAnswer(facts: PacketFacts): Answer | undefined {
  const { packet, ways, wanted } = facts
  const step = decidingStep(facts)
  if (step?.by !== 'ipvs' || ways[0]?.outcome.kind !== 'rejected' || wanted?.decision.outcome !== 'endpoints')
    return undefined
  const { servicePort, frontend } = wanted.decision
  const external = frontend.kind !== 'clusterIP'
  const isLocal = frontend.policyLocal
  const field = external ? 'externalTrafficPolicy' : 'internalTrafficPolicy'
  const policy = isLocal
    ? `${field} of ${servicePort.text} is Local, and no endpoint is on this node`
    : `${servicePort.text} has endpoints, which the node does not know`
  return {
    code: 'emptyVirtualServer',
    happens: `${packetsText(packet)} are refused: the virtual server, which is the Service in mode ipvs, has no real server, which would be an endpoint`,
    why: `${policy}; the node carries ${packet.destination} itself, on kube-proxy's interface kube-ipvs0, so that the packet does not leave it (${ruleText(step)})`,
    todo: isLocal
      ? `run an endpoint on this node, or ${clusterPolicyText(field, servicePort)}; modes iptables and nftables send pods and the node itself to endpoints of other nodes`
      : `${restartText(wanted.plan)}; kube-rules verify names what is missing`,
    object: serviceText(servicePort),
    rule: step.text,
  }
}
