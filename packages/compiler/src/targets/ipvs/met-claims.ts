import { type ClaimIndex, claimants } from './claim-index.js'
import { type Claim, type Claims, claimsOf } from './claims.js'
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

/** Which of the service ports that claim one thing gets it. */
export type Chooser = (key: string, rivals: readonly ServiceEntries[]) => ServiceEntries | undefined

/** As `virtualServersOf` chooses: addresses of Services go before node ports, then the first of `services`. */
export function chooserFor(services: readonly ServiceEntries[], claimsBy: ClaimsBy): Chooser {
  let places: ReadonlyMap<ServiceEntries, number> | undefined
  const placeOf = (service: ServiceEntries): number => {
    places ??= new Map(services.map((each, place) => [each, place]))
    return places.get(service) ?? services.length
  }
  const rankOf = (service: ServiceEntries, key: string): number => {
    const claim = claimsBy(service).get(key)
    return claim?.kind === 'server' && claim.isNodePort ? 1 : 0
  }
  return (key, rivals) => {
    if (rivals.length < 2) return rivals[0]
    return [...rivals].sort((a, b) => rankOf(a, key) - rankOf(b, key) || placeOf(a) - placeOf(b))[0]
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
    const chosen = choose(key, claimants(index, key))
    const claim = chosen && claimsBy(chosen).get(key)
    if (claim !== undefined) met.set(key, claim)
  }
  return met
}
