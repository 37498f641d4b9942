import { mapList } from '../../internal/map-list.js'
import { isDeepEqual, serializeValue } from '../../internal/plain-data.js'
import { type ClaimOperations, createClaimDiffer, findClaimOwners } from '../../patch/claims.js'
import { type ContributedStateOperations, diffContributedStates } from '../../patch/contributed-states.js'
import type { DiffOptions } from '../../patch/diff-resources.js'
import type { Patch } from '../../patch/patch.js'
import { indexResourcesById, type Resource, type Resources } from '../../patch/resource.js'
import type { Chain, NamedSet } from './ast.js'
import {
  createChainResource,
  createElementResource,
  createSetResource,
  formatChainId,
  formatElementId,
  formatSetId,
  resourcesOf,
  resourcesOfTable,
} from './resources.js'
import type { NftablesState, SetElement, TableContribution, TableKey } from './state.js'

/** A chain, set or element that an owner claims. */
type ResourceClaim = { readonly table: TableKey } & (
  | { readonly kind: 'chain'; readonly value: Chain }
  | { readonly kind: 'set'; readonly value: NamedSet }
  | { readonly kind: 'element'; readonly value: SetElement }
)

/**
 * Compares the elements, chains and sets that contributions claim. If an element is claimed several times, by several
 * owners or by one owner, the first claim counts. Each chain and set is claimed by only one owner.
 */
const CLAIMS: ClaimOperations<TableContribution, ResourceClaim> = {
  claimsOf: ({ table, chains, sets, elements }) => {
    const claims = new Map<string, ResourceClaim>()
    for (const value of chains) claims.set(formatChainId(table, value.name), { table, kind: 'chain', value })
    for (const value of sets) claims.set(formatSetId(table, value.name), { table, kind: 'set', value })
    for (const value of elements) {
      const id = formatElementId(table, value)
      if (!claims.has(id)) claims.set(id, { table, kind: 'element', value })
    }
    return claims
  },
  sharedKeysOf: ({ elements }) => mapList(elements, ({ element }) => element.key),
  isSame: (a, b) => isDeepEqual(a, b),
  textOf: (claim) => serializeValue(resourceOf(claim).value),
  commentOf: (claim) => resourceOf(claim).comment,
  resourcesOf: (claim) => [resourceOf(claim)],
}

function resourceOf(claim: ResourceClaim): Resource {
  switch (claim.kind) {
    case 'chain':
      return createChainResource(claim.table, claim.value)
    case 'set':
      return createSetResource(claim.table, claim.value)
    case 'element':
      return createElementResource(claim.table, claim.value)
  }
}

/** Computes differences between the virtual and real servers that contributions claim. */
const tableClaims = createClaimDiffer(CLAIMS)

const STATES: ContributedStateOperations<NftablesState, TableContribution> = {
  claims: tableClaims,
  staticResourcesOf,
  all: resourcesOf,
}

/**
 * Returns the patch from one state to another. An undefined state has no kube-proxy resources. Elements that differ only
 * in their comments are updated only with `withComments`.
 */
export function diffNftables(
  before: NftablesState | undefined,
  after: NftablesState | undefined,
  options?: DiffOptions,
): Patch {
  return diffContributedStates(before, after, STATES, options)
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
