import type { Entry, IpSet, IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import type { MatchedDestination } from '../../program/read-set.js'
import { destinationsOfForeignEntry, readForeignSet } from './foreign-set.js'

/**
 * Yields the addresses that rules may compare destinations with: the first address of each entry, with its port if it
 * has one, and all addresses of sets of other programs.
 */
export function* destinationsOfEntries({ sets }: IpsetState): Iterable<MatchedDestination> {
  for (const set of sets) {
    const destinationsOf = createDestinationReader(set)
    for (const entry of set.entries) yield* destinationsOf(entry)
  }
}

function createDestinationReader(set: IpSet): (entry: Entry) => readonly MatchedDestination[] {
  const foreign = set.type === 'unknown' ? readForeignSet(set) : undefined
  return (entry) => {
    if ('address' in entry) return [{ address: entry.address, port: 'port' in entry ? String(entry.port) : undefined }]
    if (foreign === undefined || entry.kind !== 'unknown') return []
    return destinationsOfForeignEntry(foreign, entry.text)
  }
}
