import { FRONTENDS } from '../explain/no-service.js'
import { claimantsOf } from '../plan/decide.js'
import type { Answer } from './answer.js'
import { type PacketFacts, packetsText, ruleText, sendingStep, serviceText } from './packet-facts.js'

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
    happens: `${packetsText(packet)} go to ${winner.text}, and none to ${other.servicePort.text}, which claims the same address and port`,
    why: `the ${FRONTENDS[frontend.kind]} of ${object} and the ${FRONTENDS[other.frontend.kind]} of ${loser} are one place, and which of the two has it is left to chance by kube-proxy in mode ${wanted.mode} (${ruleText(step)})`,
    todo: `give ${loser} another ${other.frontend.kind === 'nodePort' ? 'node port' : 'address or port'}`,
    object,
    rule: step.text,
  }
}
