import type { ServiceEntries } from './service-entries.js'

/** Who claims what. Most things have one claimant, which then stands there by itself; some have thousands. */
export type ClaimIndex = Map<string, ServiceEntries | Set<ServiceEntries>>

/** Those who claim a thing, in no particular order. */
export function claimants(index: ClaimIndex, key: string): Iterable<ServiceEntries> {
  const known = index.get(key)
  if (known instanceof Set) return known
  return known === undefined ? [] : [known]
}

export function addClaimant(index: ClaimIndex, key: string, service: ServiceEntries): void {
  const known = index.get(key)
  if (known === undefined) index.set(key, service)
  else if (known instanceof Set) known.add(service)
  else index.set(key, new Set([known, service]))
}

export function removeClaimant(index: ClaimIndex, key: string, service: ServiceEntries): void {
  const known = index.get(key)
  if (known === service) index.delete(key)
  if (!(known instanceof Set)) return
  known.delete(service)
  if (known.size === 0) index.delete(key)
}
