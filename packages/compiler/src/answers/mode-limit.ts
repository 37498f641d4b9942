import type { Answer } from './answer.js'
import { fateText, type PacketFacts, packetsText, ruleText, sendingStep, serviceText } from './packet-facts.js'

/** What kube-proxy does otherwise than asked, because its mode cannot do it. */
export function modeLimitAnswer({ packet, ways, why, wanted }: PacketFacts): Answer | undefined {
  if (wanted === undefined || why?.difference !== 'mode' || why.otherwise === undefined) return undefined
  if (!('frontend' in wanted.decision)) return undefined
  const { servicePort } = wanted.decision
  const step = ways[0] && sendingStep(ways[0])
  if (step === undefined) return undefined
  const modes = wanted.betterModes().map((mode) => `mode ${mode}`)
  return {
    code: 'limitedByMode',
    happens: `${packetsText(packet)} ${fateText(ways)}, and the objects ask for something else: ${why.otherwise}`,
    why: `of ${servicePort.text} ${why.reason}, which kube-proxy ${wanted.version} does not heed here in mode ${wanted.mode} (${ruleText(step)})`,
    todo:
      modes.length === 0
        ? 'no other mode does it either'
        : `do not rely on it here; ${modes.join(' and ')} ${modes.length > 1 ? 'do' : 'does'} what is asked`,
    object: serviceText(servicePort),
    rule: step.text,
  }
}
