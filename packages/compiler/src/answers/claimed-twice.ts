import { FRONTENDS } from '../explain/no-service.js'
import { claimantsOf } from '../plan/decide.js'
import type { Frontend } from '../plan/plan.js'
import type { ServicePortId } from '../services/service-port.js'
import type { Answer } from './answer.js'
import { onNode, type PacketFacts, packetsText, ruleOf, sendingStep, serviceText } from './packet-facts.js'
import { ANYWHERE, serviceCommand } from './remedies.js'

/** An address and port that several service ports claim, of which one gets all packets. */
export function claimedTwiceAnswer({ packet, ways, wanted }: PacketFacts): Answer | undefined {
  const decision = wanted?.decision
  if (wanted === undefined || decision === undefined || !('frontend' in decision)) return undefined
  const { servicePort: winner, frontend } = decision
  const others = claimantsOf(wanted.plan, packet).filter(({ servicePort }) => servicePort !== winner)
  const [other] = others
  const step = ways[0] && sendingStep(ways[0])
  if (other === undefined || step === undefined) return undefined
  const [object, loser] = [serviceText(winner), serviceText(other.servicePort)]
  return {
    code: 'claimedTwice',
    happens: onNode(
      wanted.plan,
      `${packetsText(packet)} go to only one of two service ports that claim this address and port: to ${winner.text}, and not to ${other.servicePort.text}`,
    ),
    why: `the ${FRONTENDS[frontend.kind]} of ${object} and the ${FRONTENDS[other.frontend.kind]} of ${loser} are the same; which of the two gets the packets is left to chance by kube-proxy in mode ${wanted.mode}, and may change when it restarts`,
    todo: moveText(other.servicePort, other.frontend),
    object,
    ...ruleOf(step),
  }
}

/** Another place for who gets nothing. */
function moveText(service: ServicePortId, { kind, port }: Frontend): string {
  const change =
    kind === 'nodePort'
      ? `change nodePort ${port} to a free number from 30000 to 32767, or what the cluster has for node ports`
      : `change its ${FRONTENDS[kind]} or its port ${port}`
  return serviceCommand(
    service,
    (namespace, name) =>
      `kubectl -n ${namespace} edit svc ${name} (${ANYWHERE}): ${change}; its clients, on every node, are not served until they use the new one`,
    `${change}, of ${serviceText(service)}`,
  )
}
