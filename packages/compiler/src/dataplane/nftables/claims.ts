import { type ClaimOperations, createClaimDiffer, findClaimOwners } from '../../patch/claims.js'
import { diffContributedStates } from '../../patch/contributed-states.js'
import type { Patch } from '../../patch/patch.js'
import { indexResourcesById, type Resource, type Resources, serializeValue } from '../../patch/resource.js'
import {
  createChainResource,
  createElementResource,
  createSetResource,
  resourcesOf,
  resourcesOfTable,
} from './resources.js'
import type { NftablesState, TableContribution } from './state.js'

/**
 * Compares the elements, chains and sets that contributions claim. If an element is claimed several times, by several
 * owners or by one owner, the first claim counts. Each chain and set is claimed by only one owner.
 */
const CLAIMS: ClaimOperations<TableContribution, Resource> = {
  claimsOf: ({ table, chains, sets, elements }) =>
    firstOfEach([
      ...chains.map((chain) => createChainResource(table, chain)),
      ...sets.map((set) => createSetResource(table, set)),
      ...elements.map((element) => createElementResource(table, element)),
    ]),
  rankOf: () => 0,
  textOf: ({ value }) => serializeValue(value),
  resourcesOf: (resource) => [resource],
}

function firstOfEach(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  const byId = new Map<string, Resource>()
  for (const resource of resources) if (!byId.has(resource.id)) byId.set(resource.id, resource)
  return byId
}

/** Computes differences between the virtual and real servers that contributions claim. */
const tableClaims = createClaimDiffer(CLAIMS)

/** Returns the patch from one state to another. An undefined state has no kube-proxy resources. */
export function diffNftables(before: NftablesState | undefined, after: NftablesState | undefined): Patch {
  return diffContributedStates(before, after, {
    claims: tableClaims,
    staticResourcesOf,
    all: resourcesOf,
  })
}

/**
 * Returns the resources of the static table, which have no owner. Does not read `tables`, because that would compute
 * the content of a lazy state.
 */
function staticResourcesOf({ staticTable }: NftablesState): Resources {
  const resources = staticTable === undefined ? [] : resourcesOfTable(staticTable)
  return indexResourcesById(resources)
}

/**
 * Returns the owner of each claimed resource, by the id of the resource. If a resource has several owners, returns the
 * first owner.
 */
export function findResourceOwners({ contributions = [] }: NftablesState): ReadonlyMap<string, string> {
  return findClaimOwners(contributions, CLAIMS)
}
