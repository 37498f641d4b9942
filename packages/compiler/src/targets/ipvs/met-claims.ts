import { type Contender, winnerOf } from '../../plan/precedence.js'
import { type ClaimIndex, claimants } from './claim-index.js'
import { type Claim, type Claims, claimsOf, type ServerClaim } from './claims.js'
import type { ServiceEntries } from './service-entries.js'

/** What a service port claims, looked up once for each. */
export type ClaimsBy = (service: ServiceEntries) => Claims

export function rememberedClaims(): ClaimsBy {
  const known = new Map<ServiceEntries, Claims>()
  return (service) => {
    const claims = known.get(service) ?? claimsOf(service)
    known.set(service, claims)
    return claims
  }
}

/** The claim to a thing that is met, of those that service ports have to it. */
export type Chooser = (key: string, rivals: Iterable<ServiceEntries>) => Claim | undefined

/**
 * Of several virtual servers that of the winner. Entries and addresses are the same whoever claims them, so that any claim
 * to them will do. `services` are in the plan's order.
 */
export function chooserFor(services: readonly ServiceEntries[], claimsBy: ClaimsBy): Chooser {
  let places: ReadonlyMap<ServiceEntries, number> | undefined
  const placeOf = (service: ServiceEntries): number => {
    places ??= new Map(services.map((each, place) => [each, place]))
    return places.get(service) ?? services.length
  }
  return (key, rivals) => {
    const contenders: ClaimingContender[] = []
    for (const service of rivals) {
      const claim = claimsBy(service).get(key)
      if (claim?.kind !== 'server') return claim
      contenders.push(contender(claim, () => placeOf(service)))
    }
    return winnerOf(contenders)?.claim
  }
}

interface ClaimingContender extends Contender {
  readonly claim: ServerClaim
}

/** Most things have one claimant, whose place nobody asks for. */
function contender(claim: ServerClaim, placeOf: () => number): ClaimingContender {
  return {
    claim,
    isNodePort: claim.isNodePort,
    get place() {
      return placeOf()
    },
  }
}

/** The claims to these things that are met; none where nobody claims a thing. */
export function metClaims(
  keys: Iterable<string>,
  index: ClaimIndex,
  services: readonly ServiceEntries[],
  claimsBy: ClaimsBy,
): ReadonlyMap<string, Claim> {
  const choose = chooserFor(services, claimsBy)
  const met = new Map<string, Claim>()
  for (const key of keys) {
    const claim = choose(key, claimants(index, key))
    if (claim !== undefined) met.set(key, claim)
  }
  return met
}
