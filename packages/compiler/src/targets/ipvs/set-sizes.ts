import type { ServiceEntries } from './service-entries.js'
import { MAX_ENTRIES } from './sets.js'
import { boundEntry } from './views.js'

type Services = readonly ServiceEntries[]

/**
 * Whether a set may have more entries than it takes: what several service ports claim is counted for each. A bound
 * address has an entry in another set, too, so that few entries mean few addresses.
 */
export function mayOverflow(services: Services): boolean {
  let count = 0
  for (const { setEntries } of services) count += setEntries.length
  return count > MAX_ENTRIES && fullest(services) > MAX_ENTRIES
}

/** The number of entries of the set that has most. */
function fullest(services: Services): number {
  const counts = new Map<string, number>()
  for (const { setEntries, boundAddresses } of services) {
    for (const { set } of [...setEntries, ...boundAddresses.map(boundEntry)]) {
      counts.set(set, (counts.get(set) ?? 0) + 1)
    }
  }
  return Math.max(...counts.values())
}
