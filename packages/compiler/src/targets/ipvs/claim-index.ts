import type { ServiceEntries } from './service-entries.js'

/** Who claims what. Most things have one claimant, which then stands there by itself. */
export type ClaimIndex = Map<string, ServiceEntries | readonly ServiceEntries[]>

/** Those who claim a thing, in no particular order. */
export function claimants(index: ClaimIndex, key: string): readonly ServiceEntries[] {
  const known = index.get(key)
  if (known === undefined) return []
  return isList(known) ? known : [known]
}

export function addClaimant(index: ClaimIndex, key: string, service: ServiceEntries): void {
  const known = index.get(key)
  if (known === undefined) index.set(key, service)
  else index.set(key, isList(known) ? [...known, service] : [known, service])
}

export function removeClaimant(index: ClaimIndex, key: string, service: ServiceEntries): void {
  const left = claimants(index, key).filter((each) => each !== service)
  if (left.length === 0) index.delete(key)
  else index.set(key, left.length === 1 ? (left[0] as ServiceEntries) : left)
}

function isList(known: ServiceEntries | readonly ServiceEntries[]): known is readonly ServiceEntries[] {
  return Array.isArray(known)
}
