import { destinationText } from '../dataplane/netfilter/destination-text.js'
import type { Answer } from './answer.js'
import { type PacketFacts, ruleText, sendingStep, serviceText } from './packet-facts.js'

/** That packets of flows which exist already do not come to the rules at all. */
export function establishedAnswer({ packet, ways, wanted }: PacketFacts): Answer | undefined {
  if (wanted === undefined || !('servicePort' in wanted.decision)) return undefined
  const step = ways[0] && sendingStep(ways[0])
  if (step === undefined) return undefined
  const { servicePort } = wanted.decision
  const { destination: address, destinationPort: port, protocol } = packet
  const flow = `-p ${protocol.toLowerCase()} --orig-dst ${address} --orig-port-dst ${port}`
  return {
    code: 'establishedFlow',
    happens: `Packets of flows to ${destinationText({ address, port, protocol })} that exist already go on to where the first one went: they read no rules`,
    why: `conntrack remembers the endpoint of a flow of ${serviceText(servicePort)}, also one that is gone; only first packets come to the rules (${ruleText(step)})`,
    todo:
      protocol === 'UDP'
        ? `conntrack -L ${flow} shows them, conntrack -D ${flow} forgets them; kube-rules diff BEFORE AFTER prints what kube-proxy should have forgotten`
        : 'let clients open new connections; kube-proxy forgets flows of UDP only',
    object: serviceText(servicePort),
    rule: step.text,
  }
}
