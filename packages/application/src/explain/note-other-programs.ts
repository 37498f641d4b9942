import { isInKubernetesChain } from '@kube-rules/analyzer/explain'
import type { DiagnosedPacket } from './diagnosed-packet.js'

/**
 * Reports whether only rules of other programs change the destination of a packet that is for no Service of the objects,
 * as the CNI plugin portmap does for host ports. Such rules are no drift of the rules of kube-proxy.
 */
export function isSentByOtherProgram({ reason, paths }: Pick<DiagnosedPacket, 'reason' | 'paths'>): boolean {
  if (reason !== undefined && reason.expectedOutcome !== 'unmatched') return false
  return paths.every(({ steps }) => {
    const step = steps.find(({ rewrites }) => rewrites === 'destination')
    return step !== undefined && !isInKubernetesChain(step)
  })
}

/** Returns a note if only rules of other programs change the destination of a packet without a diagnosis. */
export function noteOtherPrograms(explanations: readonly DiagnosedPacket[]): readonly string[] {
  const found = explanations.filter((each) => each.diagnoses.length === 0 && isSentByOtherProgram(each))
  return [...new Set(found.map(({ reason }) => (reason === undefined ? WITHOUT_OBJECTS : FOR_NO_SERVICE)))]
}

const WITHOUT_OBJECTS =
  'note: a rule of another program changes the destination, so the rules of kube-proxy do not change it again'

const FOR_NO_SERVICE =
  'note: a rule of another program changes the destination, and no Service has the original one; kube-rules verify does not compare rules of other programs'
