import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import { fateText, onNode, type PacketFacts, packetsText, ruleOf, sendingStep, serviceText } from './packet-facts.js'

/** Diagnoses a deviation of kube-proxy that follows from a limitation of its mode. */
export function modeLimitDiagnosis({ packet, paths, reason, expected }: PacketFacts): Diagnosis | undefined {
  if (expected === undefined || reason?.divergence !== 'modeLimitation' || reason.expectedOutcome === undefined)
    return undefined
  if (!('frontend' in expected.decision)) return undefined
  const { servicePort } = expected.decision
  const step = paths[0] && sendingStep(paths[0])
  if (step === undefined) return undefined
  const modes = expected.betterModes()
  return {
    code: 'limitedByMode',
    summary: onNode(
      expected.plan,
      `${packetsText(packet)} ${fateText(paths)}, which differs from the Service definition: ${reason.expectedOutcome}`,
    ),
    cause: `${reason.reason}, but kube-proxy ${expected.version} in mode ${expected.mode} cannot do that for ${serviceText(servicePort)}`,
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
