import type { PathStep } from '@kube-rules/analyzer/explain'
import type { DiagnosedPacket } from './diagnosed-packet.js'

/**
 * Reports whether only rules of other programs change the destination of a packet that is for no Service, as the CNI
 * plugin portmap does for host ports. Such rules are no drift of the rules of kube-proxy.
 */
export function isSentByOtherProgram({ reason, paths }: Pick<DiagnosedPacket, 'reason' | 'paths'>): boolean {
  if (reason?.expectedOutcome !== 'unmatched') return false
  return paths.every(({ steps }) => {
    const step = steps.find(({ rewrites }) => rewrites === 'destination')
    return step !== undefined && !isOfKubeProxy(step)
  })
}

/** Returns a note if only rules of other programs change the destination of a packet without a diagnosis. */
export function noteOtherPrograms(explanations: readonly DiagnosedPacket[]): readonly string[] {
  return explanations.some((each) => each.diagnoses.length === 0 && isSentByOtherProgram(each)) ? [NOTE] : []
}

const NOTE =
  'note: a rule of another program changes the destination, and no Service has the original one; kube-rules verify does not compare rules of other programs'

function isOfKubeProxy({ table, chain }: PathStep): boolean {
  return table === 'ipvs' || table.endsWith(' kube-proxy') || chain.startsWith('KUBE-')
}
