import { type ClaimDiff, type Claiming, claimDiff, claimsMet } from '../../diff/claims.js'
import type { EntryContribution, EntryValue, IpsetState } from './ast.js'
import { entryId, entryResource } from './resources.js'

const ENTRY_CLAIMS: Claiming<EntryContribution, EntryValue> = {
  claimsOf: ({ entries }) => new Map(entries.map((value) => [entryId(value), value])),
  textOf: () => '',
  resourcesOf: ({ set, entry }) => [entryResource(set, entry)],
}

/** Compares what contributions ask for. Sets are no part of it: they are there whoever asks. */
export const entryClaims: ClaimDiff<EntryContribution> = claimDiff(ENTRY_CLAIMS)

/** The owner of each entry, by its id; of several the first. */
export function entryOwners({ contributions = [] }: IpsetState): ReadonlyMap<string, string> {
  const met = claimsMet(contributions, ENTRY_CLAIMS)
  return new Map(Array.from(met, ([id, { contribution }]) => [id, contribution.owner]))
}
