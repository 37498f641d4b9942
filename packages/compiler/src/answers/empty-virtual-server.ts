import type { Answer } from './answer.js'
import { decidingStep, type PacketFacts, packetsText, ruleText, serviceText } from './packet-facts.js'

/** A packet for a virtual server that has no real server, while the objects have endpoints for it. */
export function emptyVirtualServerAnswer(facts: PacketFacts): Answer | undefined {
  const { packet, ways, wanted } = facts
  const step = decidingStep(facts)
  if (step?.by !== 'ipvs' || ways[0]?.outcome.kind !== 'rejected' || wanted?.decision.outcome !== 'endpoints')
    return undefined
  const { servicePort, frontend } = wanted.decision
  const external = frontend.kind !== 'clusterIP'
  const isLocal = frontend.policyLocal
  const policy = isLocal
    ? `${external ? 'externalTrafficPolicy' : 'internalTrafficPolicy'} of ${servicePort.text} is Local, and no endpoint is on this node`
    : `${servicePort.text} has endpoints, which the node does not know`
  return {
    code: 'emptyVirtualServer',
    happens: `${packetsText(packet)} are refused: the virtual server has no real server here`,
    why: `${policy}; the node carries ${packet.destination} itself, on kube-ipvs0, so that the packet does not leave it (${ruleText(step)})`,
    todo: isLocal
      ? 'run an endpoint on this node, or use policy Cluster; modes iptables and nftables send pods and the node itself to endpoints of other nodes'
      : 'restart kube-proxy on this node; kube-rules verify names what is missing',
    object: serviceText(servicePort),
    rule: step.text,
  }
}
