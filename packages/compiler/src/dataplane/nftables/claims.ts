import { type Claiming, claimDiff, claimOwners, diffContributed } from '../../patch/claims.js'
import type { Patch } from '../../patch/patch.js'
import { type Resource, type Resources, valueText } from '../../patch/resource.js'
import { chainResource, elementResource, resourcesOf, resourcesOfTable, setResource } from './resources.js'
import type { NftablesState, TableContribution } from './state.js'

/**
 * Of several who ask for one element the first gets it, and of what one owner asks for twice the first counts; chains and
 * sets of their own nobody else asks for.
 */
const CLAIMS: Claiming<TableContribution, Resource> = {
  claimsOf: ({ table, chains, sets, elements }) =>
    firstOfEach([
      ...chains.map((chain) => chainResource(table, chain)),
      ...sets.map((set) => setResource(table, set)),
      ...elements.map((element) => elementResource(table, element)),
    ]),
  rankOf: () => 0,
  textOf: ({ value }) => valueText(value),
  resourcesOf: (resource) => [resource],
}

function firstOfEach(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  const byId = new Map<string, Resource>()
  for (const resource of resources) if (!byId.has(resource.id)) byId.set(resource.id, resource)
  return byId
}

/** Compares what contributions ask for. */
const tableClaims = claimDiff(CLAIMS)

/** What turns one state into another; undefined stands for nothing of ours. */
export function diffNftables(before: NftablesState | undefined, after: NftablesState | undefined): Patch {
  return diffContributed(before, after, { claims: tableClaims, fixed: fixedOf, all: resourcesOf })
}

/** What is there whoever asks, without `tables`: a lazy state would put these together. */
function fixedOf({ fixed }: NftablesState): Resources {
  const resources = fixed === undefined ? [] : resourcesOfTable(fixed)
  return new Map(resources.map((resource) => [resource.id, resource]))
}

/** The owner of each thing that somebody asks for, by its id; of several the first. */
export function tableOwners({ contributions = [] }: NftablesState): ReadonlyMap<string, string> {
  return claimOwners(contributions, CLAIMS)
}
