import { isDeepEqual } from '../internal/plain-data.js'
import { pairResources, type ResourcePair } from '../patch/diff-resources.js'
import { areResourcesEqual, type Resource, type Resources } from '../patch/resource.js'
import type { DriftedItems, DriftItem, DriftKind, ResourceOwnership, StateComparison } from './comparison.js'
import { preferExpectedItem } from './comparison.js'
import type { DriftPart } from './drift-part.js'

/** The two sides of a comparison: expected and actual resources. */
export interface ComparedResources {
  readonly expected: Resources
  readonly actual: Resources
}

/** Functions that describe the resources of a subsystem. */
export interface ResourceFormatters {
  /** Returns the owners of the expected resources by resource id. Called only if there is drift. */
  readonly owners: () => ReadonlyMap<string, string>
  /** Formats the resource as the tool of the subsystem prints it. */
  readonly textOf: (resource: Resource) => string
  /** Returns the part of a drift item about the resource. */
  readonly partOf: (resource: Resource, sides: DriftedItems<Resource>) => DriftPart
  /**
   * Returns the value of a resource without the part that its container contributes: for an entry, the definition of
   * its set.
   */
  readonly ownValue: (resource: Resource) => unknown
  /**
   * Returns the id of the set, chain or server that contains a resource. If absent, the container is the first
   * reference of the resource.
   */
  readonly containerOf?: (resource: Resource) => string | undefined
}

/**
 * Compares resources one by one. If a whole container (such as a set) is missing or extra, the contents of the
 * container (such as entries) are not reported separately. The contents of an unexpected container are ignored, or
 * removed together with the container.
 */
export function compareResources<State>(
  sides: ComparedResources,
  ownership: ResourceOwnership<State, Resource>,
  words: ResourceFormatters,
): StateComparison {
  const differing = pairResources(sides.actual, sides.expected).filter(isDifferent)
  const isLeft = ({ before, after }: ResourcePair) =>
    after === undefined && !isOwned(before as Resource, sides, ownership, words)
  const pairs = differing.filter((pair) => !isLeft(pair))
  const wholes = new Set(pairs.flatMap((pair) => resourceOfOneSide(pair)?.id ?? []))
  const isInWhole = (pair: ResourcePair) => resourceOfOneSide(pair)?.refs.some((id) => wholes.has(id)) ?? false
  const left = differing.flatMap((pair) => (isLeft(pair) ? [pair.before as Resource] : []))
  const kept = left.filter(({ id, value }) => ownership.isTemporarilyKept?.(id, value) ?? false)
  return {
    driftItems: pairs.filter((pair) => !isInWhole(pair)).flatMap((pair) => findingsOf(pair, ownership, words)),
    pairs: withReferrers(pairs, kept),
    unverified: [],
    others: left.map(({ id }) => id).filter((id) => ownership.isLookalike?.(id) ?? false),
  }
}

/** Adds the kept resources that refer to a removed resource, because the kernel removes no resource that is in use. */
function withReferrers(pairs: readonly ResourcePair[], kept: readonly Resource[]): readonly ResourcePair[] {
  const removed = new Set(pairs.flatMap(({ before, after }) => (before && after === undefined ? [before.id] : [])))
  const referrers = new Set(kept.filter(({ refs }) => refs.some((id) => removed.has(id))))
  if (referrers.size === 0) return pairs
  const more = Array.from(referrers, (before): ResourcePair => ({ before, after: undefined }))
  return withReferrers(
    [...pairs, ...more],
    kept.filter((resource) => !referrers.has(resource)),
  )
}

function isDifferent({ before, after }: ResourcePair): boolean {
  return before === undefined || after === undefined || !areResourcesEqual(before, after)
}

/**
 * Reports whether kube-proxy owns an unexpected resource. A resource in an unexpected container belongs to the owner of
 * the container.
 */
function isOwned<State>(
  resource: Resource,
  sides: ComparedResources,
  ownership: ResourceOwnership<State, Resource>,
  { containerOf = ({ refs }) => refs[0] }: ResourceFormatters,
): boolean {
  const container = containerOf(resource)
  const unwanted = container === undefined || sides.expected.has(container) ? undefined : container
  const { id, value } = sides.actual.get(unwanted ?? '') ?? resource
  return ownership.isOwned(id, value)
}

/** Returns the resource of a pair if only one side has the resource. Returns undefined for a changed resource. */
function resourceOfOneSide({ before, after }: ResourcePair): Resource | undefined {
  return before === undefined ? after : after === undefined ? before : undefined
}

function findingsOf<State>(
  { before: found, after: expected }: ResourcePair,
  ownership: ResourceOwnership<State, Resource>,
  { owners, textOf, partOf, ownValue }: ResourceFormatters,
): readonly DriftItem[] {
  if (expected && found && isDeepEqual(ownValue(expected), ownValue(found))) return []
  const kind: DriftKind = found === undefined ? 'missing' : expected === undefined ? 'extra' : 'changed'
  const resource = preferExpectedItem({ expected, found })
  return [
    {
      owner: owners().get(resource.id) ?? owners().get(resource.refs[0] ?? '') ?? '',
      location: resource.id,
      part: partOf(resource, { expected, found }),
      kind,
      ...(expected && { expected: textOf(expected) }),
      ...(found && { found: textOf(found) }),
      reason: ownership.reasonOf(kind, { expected, found }),
    },
  ]
}
