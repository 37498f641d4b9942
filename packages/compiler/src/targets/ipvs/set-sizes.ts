import type { ServiceEntries } from './service-entries.js'
import { MAX_ENTRIES } from './sets.js'

/** Whether a set may have more entries than it takes: what several service ports claim is counted for each. */
export function mayOverflow(services: readonly ServiceEntries[]): boolean {
  let count = 0
  for (const { entries } of services) count += entries.length
  return count > MAX_ENTRIES && fullest(services) > MAX_ENTRIES
}

/** The number of entries of the set that has most. */
function fullest(services: readonly ServiceEntries[]): number {
  const counts = new Map<string, number>()
  for (const { entries } of services) {
    for (const { set } of entries) counts.set(set.name, (counts.get(set.name) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}
