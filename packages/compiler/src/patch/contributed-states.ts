import { backingListOf } from '../internal/lazy-array.js'
import type { ClaimDiffer } from './claims.js'
import { type DiffOptions, diffPairs, diffResources, pairResources } from './diff-resources.js'
import { orderChanges } from './order.js'
import { createPatch, type Patch } from './patch.js'
import type { Resources } from './resource.js'

/** A state that may consist of contributions. */
interface Contributed<Contribution> {
  readonly contributions?: readonly Contribution[] | undefined
}

/** The functions that split a state into the contributions of individual service ports and the static resources. */
export interface ContributedStateOperations<State, Contribution extends object> {
  readonly claims: ClaimDiffer<Contribution>
  /** Returns the static resources, independent of contributions. */
  staticResourcesOf(state: State): Resources
  /** Returns all resources of a state. Used if a state has no contributions. */
  all(state: State): Resources
}

/**
 * Returns the patch from one state to another; undefined means an empty state. If both states have contributions, the
 * cost is proportional to the number of contributions that are not the identical object in both states.
 */
export function diffContributedStates<Contribution extends object, State extends Contributed<Contribution>>(
  before: State | undefined,
  after: State | undefined,
  { claims, staticResourcesOf, all }: ContributedStateOperations<State, Contribution>,
  options?: DiffOptions,
): Patch {
  const old = before === undefined ? [] : backingListOf(before, 'contributions')
  const fresh = after === undefined ? [] : backingListOf(after, 'contributions')
  const resourcesOf = (state: State | undefined, resources: (state: State) => Resources): Resources =>
    state === undefined ? NOTHING : resources(state)
  if (old === undefined || fresh === undefined) {
    return diffResources(resourcesOf(before, all), resourcesOf(after, all), options)
  }
  const pairs = [
    ...pairResources(resourcesOf(before, staticResourcesOf), resourcesOf(after, staticResourcesOf)),
    ...claims.pairsOf(old, fresh, options),
  ]
  const digests = { from: () => claims.digestOf(old), to: () => claims.digestOf(fresh) }
  return createPatch(digests, orderChanges(diffPairs(pairs, options)))
}

const NOTHING: Resources = new Map()
