import { joinHostPort } from '@kube-rules/types'
import type { Answer } from './answer.js'
import { type PacketFacts, ruleOf, sendingStep } from './packet-facts.js'
import { restartStep, VERIFY_STEP } from './remedies.js'
import { lackedLoopBackAnswer, toItselfText } from './to-itself.js'

/** Diagnoses a packet that returns to its own pod with the address of the pod as source. */
export function hairpinAnswer({ packet, ways, why, wanted, lackedLoopBack }: PacketFacts): Answer | undefined {
  const way = ways.find(
    ({ outcome }) => outcome.kind === 'delivered' && outcome.address === packet.source && !outcome.masqueraded,
  )
  const step = way && sendingStep(way)
  if (way?.outcome.kind !== 'delivered' || step === undefined || wanted?.decision.outcome !== 'endpoints')
    return undefined
  // No reply path is needed if the node itself is the endpoint. Mode limitations are reported separately.
  if (packet.origin === 'node' || why?.difference !== 'rules') return undefined
  const { servicePort } = wanted.decision
  const { address, port } = way.outcome
  const lacked = lackedLoopBack(address, port, packet.protocol)
  const about = { code: 'hairpinNotMasqueraded', plan: wanted.plan, servicePort, address } as const
  if (lacked !== undefined) return lackedLoopBackAnswer(about, lacked)
  return {
    ...toItselfText(about),
    why: `the node has to change the source address in this case, and no rule does so for ${joinHostPort(address, port)}`,
    steps: [restartStep(wanted.plan), VERIFY_STEP],
    ...ruleOf(step, 'sends it to itself'),
  }
}
