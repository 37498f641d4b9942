import type { LimitationPredicate } from '../limitation-predicate.js'
import { createLimitationPredicate } from '../shared/create-limitation-predicate.js'
import { findAlphaLimitation } from './find-alpha-limitation.js'
import { findNftablesLimitation } from './find-limitation.js'

const LIMITING = [
  'guardedWithoutEndpoints',
  'sourceRangesUnchecked',
  'otherPortsRejected',
  'unallocatedDropped',
  'ownPacketsNotShortCircuited',
  'ownPacketsRejected',
  'guardedAddress',
  'endpointRejected',
  'remoteHairpin',
  'externalClusterIP',
] as const

/**
 * For each limitation of nftables mode, a predicate that selects the affected packets: those with the outcome that the
 * limitation causes.
 */
export const LIMITATION_PREDICATES: Readonly<Record<string, LimitationPredicate>> = Object.fromEntries(
  LIMITING.map((code) => [code, limitedBy(code)]),
)

function limitedBy(code: string): LimitationPredicate {
  return createLimitationPredicate(({ plan, packet, decision }) => {
    const find = plan.kernel.features.alphaTable ? findAlphaLimitation : findNftablesLimitation
    const limited = find(plan, packet, decision)
    return limited?.code === code ? limited.texts : undefined
  })
}
