import type { IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import type { MatchedDestination } from '../../program/read-set.js'

/** Yields the first address of each entry, with the port of the entry if it has one. A rule may match on both. */
export function* destinationsOfEntries({ sets }: IpsetState): Iterable<MatchedDestination> {
  for (const { entries } of sets) {
    for (const entry of entries) {
      if (!('address' in entry)) continue
      yield { address: entry.address, port: 'port' in entry ? String(entry.port) : undefined }
    }
  }
}
