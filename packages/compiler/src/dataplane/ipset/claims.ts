import { withArray } from '../../internal/array-of-list.js'
import { type ChunkedList, itemsOf } from '../../internal/chunked-list.js'
import { valueAt } from '../../internal/known-items.js'
import { mapList } from '../../internal/map-list.js'
import { type ContributionComparison, claimDiff, claimOwners, diffContributed } from '../../patch/claims.js'
import type { Patch } from '../../patch/patch.js'
import type { Resources } from '../../patch/resource.js'
import type { Entry, EntryContribution, EntryValue, IpSet, IpsetState, SetDefinition } from './ast.js'
import { formatEntry } from './entries.js'
import { entryId, entryResource, resourcesOf, setResource } from './resources.js'

const ENTRY_CLAIMS: ContributionComparison<EntryContribution, EntryValue> = {
  claimsOf: ({ entries }) => new Map(mapList(entries, (value) => [entryId(value), value])),
  textOf: () => '',
  resourcesOf: ({ set, entry }) => [entryResource(set, entry)],
}

/** Compares the claims of contributions. Sets are not claims, because they exist regardless of them. */
const entryClaims = claimDiff(ENTRY_CLAIMS)

/** Returns the patch from one state to another; undefined means no resources of ours. */
export function diffIpset(before: IpsetState | undefined, after: IpsetState | undefined): Patch {
  return diffContributed(before, after, { claims: entryClaims, fixed: setsOf, all: resourcesOf })
}

/** Returns the definitions if they are known, because reading `sets` would build a lazy state. */
function setsOf(state: IpsetState): Resources {
  const definitions = state.definitions ?? state.sets
  return new Map(definitions.map(setResource).map((resource) => [resource.id, resource]))
}

/**
 * Builds the state of these sets from contributions, lazily. Each entry occurs once, hash entries in code-unit order of
 * their text, ports by number.
 */
export function mergeContributions(
  definitions: readonly SetDefinition[],
  contributions: () => ChunkedList<EntryContribution>,
): IpsetState {
  return withArray({ definitions }, 'contributions', contributions, {
    sets: (list) => filledSets(definitions, itemsOf(list())),
  })
}

function filledSets(
  definitions: readonly SetDefinition[],
  contributions: readonly EntryContribution[],
): readonly IpSet[] {
  const byName = new Map(definitions.map(({ name }) => [name, new Map<string, Entry>()]))
  for (const { entries } of contributions) {
    for (const { set, entry } of entries) byName.get(set.name)?.set(sortKey(entry), entry)
  }
  return definitions.map((set) => ({ ...set, entries: inOrderOfKeys(byName.get(set.name)) }) as IpSet)
}

function sortKey(entry: Entry): string {
  return entry.kind === 'port' ? String(entry.port).padStart(5, '0') : formatEntry(entry)
}

function inOrderOfKeys(entries: ReadonlyMap<string, Entry> = new Map()): readonly Entry[] {
  const keys = Array.from(entries.keys()).sort()
  return mapList(keys, (key) => valueAt(entries, key))
}

/** Returns the owner of each entry by its id; the first one of several. */
export function entryOwners({ contributions = [] }: IpsetState): ReadonlyMap<string, string> {
  return claimOwners(contributions, ENTRY_CLAIMS)
}
