import { valueAt } from '../../internal/known-items.js'
import { withLazyArray } from '../../internal/lazy-array.js'
import { mapList } from '../../internal/map-list.js'
import { type ClaimOperations, createClaimDiffer, findClaimOwners } from '../../patch/claims.js'
import { diffContributedStates } from '../../patch/contributed-states.js'
import type { Patch } from '../../patch/patch.js'
import { indexResourcesById, type Resources } from '../../patch/resource.js'
import type { Entry, EntryContribution, EntryWithSet, IpSet, IpsetState, SetDefinition } from './ast.js'
import { formatEntry } from './entries.js'
import { createEntryResource, createSetResource, formatEntryId, resourcesOf } from './resources.js'

const ENTRY_CLAIMS: ClaimOperations<EntryContribution, EntryWithSet> = {
  claimsOf: ({ entries }) => new Map(mapList(entries, (value) => [formatEntryId(value), value])),
  sharedKeysOf: ({ entries }) => mapList(entries, ({ entry }) => formatEntry(entry)),
  isSame: () => true,
  textOf: () => '',
  resourcesOf: ({ set, entry }) => [createEntryResource(set, entry)],
}

/**
 * Computes differences between the entries that contributions claim. The sets themselves are not claimed, because they
 * exist even without contributions.
 */
const entryClaims = createClaimDiffer(ENTRY_CLAIMS)

/** Returns the patch from one state to another. An undefined state has no kube-proxy resources. */
export function diffIpset(before: IpsetState | undefined, after: IpsetState | undefined): Patch {
  return diffContributedStates(before, after, { claims: entryClaims, staticResourcesOf: setsOf, all: resourcesOf })
}

/**
 * Returns the sets without their entries. Uses `definitions` if present, because reading `sets` would compute the
 * entries of a lazy state.
 */
function setsOf(state: IpsetState): Resources {
  const definitions = state.definitions ?? state.sets
  return indexResourcesById(definitions.map(createSetResource))
}

/**
 * Builds the state of these sets from contributions, lazily. Each entry occurs once. Hash entries are in code-unit
 * order of their printed form, ports in numeric order.
 */
export function buildIpsetState(
  definitions: readonly SetDefinition[],
  contributions: () => readonly EntryContribution[],
): IpsetState {
  return withLazyArray({ definitions }, 'contributions', contributions, {
    sets: (list) => filledSets(definitions, list()),
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

/** Returns the owner of each entry, by the id of the entry. If an entry has several owners, returns the first owner. */
export function findEntryOwners({ contributions = [] }: IpsetState): ReadonlyMap<string, string> {
  return findClaimOwners(contributions, ENTRY_CLAIMS)
}
