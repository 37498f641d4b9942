import type { Packet } from '@kube-rules/types'
import { destinationText } from '../dataplane/netfilter/destination-text.js'
import { listText } from '../explain/list-text.js'
import type { Answer } from './answer.js'
import { onNode, type PacketFacts, ruleOf, sendingStep, serviceText, type Wanted } from './packet-facts.js'

/** That packets of flows which exist already do not come to the rules at all. */
export function establishedAnswer({ packet, ways, wanted }: PacketFacts): Answer | undefined {
  if (wanted === undefined || !('servicePort' in wanted.decision)) return undefined
  const step = ways[0] && sendingStep(ways[0])
  if (step === undefined) return undefined
  const { servicePort } = wanted.decision
  const { destination: address, destinationPort: port, protocol } = packet
  const to = destinationText({ address, port, protocol })
  return {
    code: 'establishedFlow',
    happens: onNode(
      wanted.plan,
      `clients that already talk to ${to} keep going to the pod they got first, even one that is gone; new clients are not affected`,
    ),
    why: `the node remembers that pod for each client of ${serviceText(servicePort)} (conntrack) and does not look at the rules again`,
    todo: protocol === 'UDP' ? forgetText(packet, wanted) : RECONNECT,
    object: serviceText(servicePort),
    ...ruleOf(step, 'asked for new clients only'),
  }
}

const RECONNECT =
  'let the clients connect again: nothing on the node has to be repaired, and kube-proxy forgets clients of UDP only'

/** First the line that looks, and only then the one that deletes, of which one letter is another. */
function forgetText({ destination, destinationPort }: Packet, { decision }: Wanted): string {
  const flow = `-p udp --orig-dst ${destination} --orig-port-dst ${destinationPort}`
  const places = 'candidates' in decision ? decision.candidates.map(({ endpoint }) => endpoint.ip) : []
  const known =
    places.length === 0
      ? 'a line whose second src= is no endpoint'
      : `the ${places.length === 1 ? 'only endpoint now is' : 'endpoints now are'} ${listText(places)}, and a line with any other second src=`
  return `conntrack -L ${flow} (as root on each node with such clients; only looks): ${known} leads to a pod that is gone; only if there is such a line: conntrack -D ${flow} (makes the node forget all of them: with its next packet each client is sent to an endpoint of now)`
}
