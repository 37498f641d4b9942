import type { Answer } from './answer.js'
import { fateText, onNode, type PacketFacts, packetsText, ruleOf, sendingStep, serviceText } from './packet-facts.js'
import { ANYWHERE } from './remedies.js'

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
    happens: onNode(
      wanted.plan,
      `${packetsText(packet)} ${fateText(ways)}, and the objects ask for something else: ${why.otherwise}`,
    ),
    why: `${why.reason}, which kube-proxy ${wanted.version} in mode ${wanted.mode} does not heed here for ${serviceText(servicePort)}`,
    todo:
      modes.length === 0
        ? 'do not rely on it here: no other mode of kube-proxy does it either'
        : `do not rely on it here; only if it has to be so: kubectl -n kube-system edit configmap kube-proxy (${ANYWHERE}, if kubeadm made the cluster) and set ${modes.join(' or ')}, which ${modes.length > 1 ? 'do' : 'does'} what is asked: a change for all nodes, which keep the rules of the old mode until somebody removes them`,
    object: serviceText(servicePort),
    ...ruleOf(step),
  }
}
