import type { LimitationPredicate } from '../limitation-predicate.js'
import { explainDeviation } from '../shared/format-ends.js'
import { limitedByAlpha } from './limited-by-alpha.js'
import { limitedByNftables } from './limited-packets.js'

const LIMITING = [
  'guardedWithoutEndpoints',
  'sourceRangesUnchecked',
  'otherPortsRejected',
  'unallocatedDropped',
  'ownPacketsNotShortCircuited',
  'guardedAddress',
  'endpointRejected',
  'remoteHairpin',
] as const

/** Predicates that select the packets affected by each limitation of mode nftables, by their outcome. */
export const EXPLANATIONS: Readonly<Record<string, LimitationPredicate>> = Object.fromEntries(
  LIMITING.map((code) => [code, limitedBy(code)]),
)

function limitedBy(code: string): LimitationPredicate {
  return explainDeviation(({ plan, packet, decision }) => {
    const find = plan.kernel.features.alphaTable ? limitedByAlpha : limitedByNftables
    const limited = find(plan, packet, decision)
    return limited?.code === code ? limited.texts : undefined
  })
}
