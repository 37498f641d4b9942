import type { Answer, DiagnosisStep } from './answer.js'
import { fateText, onNode, type PacketFacts, packetsText, ruleOf, sendingStep, serviceText } from './packet-facts.js'

/** Diagnoses a deviation of kube-proxy that follows from a limitation of its mode. */
export function modeLimitAnswer({ packet, ways, why, wanted }: PacketFacts): Answer | undefined {
  if (wanted === undefined || why?.difference !== 'mode' || why.otherwise === undefined) return undefined
  if (!('frontend' in wanted.decision)) return undefined
  const { servicePort } = wanted.decision
  const step = ways[0] && sendingStep(ways[0])
  if (step === undefined) return undefined
  const modes = wanted.betterModes()
  return {
    code: 'limitedByMode',
    happens: onNode(
      wanted.plan,
      `${packetsText(packet)} ${fateText(ways)}, which differs from the Service definition: ${why.otherwise}`,
    ),
    why: `${why.reason}, but kube-proxy ${wanted.version} in mode ${wanted.mode} cannot do that for ${serviceText(servicePort)}`,
    steps: modeSteps(modes),
    object: serviceText(servicePort),
    ...ruleOf(step),
  }
}

function modeSteps(modes: readonly string[]): readonly DiagnosisStep[] {
  if (modes.length === 0) return [{ text: 'Do not rely on it: no other mode of kube-proxy supports it either' }]
  return [
    { text: 'Do not rely on it in this mode' },
    {
      text: `If you need it, set mode to ${modes.join(' or ')} with kubectl, in clusters of kubeadm`,
      command: 'kubectl -n kube-system edit configmap kube-proxy',
      impact: 'for all nodes, after a restart of kube-proxy; the rules of the old mode stay until you remove them',
    },
  ]
}
