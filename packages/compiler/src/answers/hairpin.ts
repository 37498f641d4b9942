import { joinHostPort } from '@kube-rules/types'
import type { Answer } from './answer.js'
import { type PacketFacts, packetsText, ruleText, sendingStep, serviceText } from './packet-facts.js'

/** A packet that comes back to the pod that sent it, which sees its own address as the source. */
export function hairpinAnswer({ packet, ways, why, wanted }: PacketFacts): Answer | undefined {
  const way = ways.find(
    ({ outcome }) => outcome.kind === 'delivered' && outcome.address === packet.source && !outcome.masqueraded,
  )
  const step = way && sendingStep(way)
  if (way?.outcome.kind !== 'delivered' || step === undefined || wanted?.decision.outcome !== 'endpoints')
    return undefined
  // Where the node itself is the endpoint, nothing has to come back to it; and what the mode cannot do is said as that.
  if (packet.origin === 'node' || why?.difference !== 'rules') return undefined
  const { servicePort } = wanted.decision
  const endpoint = joinHostPort(way.outcome.address, way.outcome.port)
  return {
    code: 'hairpinNotMasqueraded',
    happens: `${packetsText(packet)} come back to the pod that sent them with its own address as the source: such a connection hangs`,
    why: `${endpoint} is an endpoint of ${servicePort.text}, and nothing masquerades the packet, so that the answer does not come by the node (${ruleText(step)})`,
    todo: 'compare the node with its objects: kube-rules verify names what is missing for it',
    object: serviceText(servicePort),
    rule: step.text,
  }
}
