import { pairsOf, type ResourcePair } from '../patch/diff-resources.js'
import { type Resource, type Resources, sameResource, sameValue } from '../patch/resource.js'
import type { Comparison, Custody, DriftKind, Finding } from './comparison.js'

/** The two sides of a comparison: expected and actual resources. */
export interface ResourceSides {
  readonly wanted: Resources
  readonly live: Resources
}

/** Functions that describe the resources of a subsystem. */
export interface ResourceWords {
  /** Returns the owners of expected resources by id. Called only if there is drift. */
  readonly owners: () => ReadonlyMap<string, string>
  /** Formats the resource as its tool prints it. */
  readonly textOf: (resource: Resource) => string
  /** Returns the value of a resource without its container. */
  readonly ownValue: (resource: Resource) => unknown
  /** Returns the id of the container of a resource; absent if a resource refers only to its container. */
  readonly holderOf?: (resource: Resource) => string | undefined
}

/**
 * Compares resources one by one. If a container (such as a set) is missing or superfluous, its contents (entries) are
 * not reported separately. The contents of a container that is not expected are ignored or removed with it.
 */
export function compareResources<State>(
  sides: ResourceSides,
  custody: Custody<State, Resource>,
  words: ResourceWords,
): Comparison {
  const differing = pairsOf(sides.live, sides.wanted).filter(isDifferent)
  const isLeft = ({ before, after }: ResourcePair) =>
    after === undefined && !isOurs(before as Resource, sides, custody, words)
  const pairs = differing.filter((pair) => !isLeft(pair))
  const wholes = new Set(pairs.flatMap((pair) => comingOrGoing(pair)?.id ?? []))
  const isInWhole = (pair: ResourcePair) => comingOrGoing(pair)?.refs.some((id) => wholes.has(id)) ?? false
  const left = differing.filter(isLeft).map(({ before }) => (before as Resource).id)
  return {
    findings: pairs.filter((pair) => !isInWhole(pair)).flatMap((pair) => findingsOf(pair, custody, words)),
    pairs,
    unverified: [],
    others: left.filter((id) => custody.isStrange?.(id) ?? false),
  }
}

function isDifferent({ before, after }: ResourcePair): boolean {
  return before === undefined || after === undefined || !sameResource(before, after)
}

/** Reports whether an unexpected resource is ours. If its container is also unexpected, the container decides. */
function isOurs<State>(
  resource: Resource,
  sides: ResourceSides,
  custody: Custody<State, Resource>,
  { holderOf = ({ refs }) => refs[0] }: ResourceWords,
): boolean {
  const holder = holderOf(resource)
  const unwanted = holder === undefined || sides.wanted.has(holder) ? undefined : holder
  const { id, value } = sides.live.get(unwanted ?? '') ?? resource
  return custody.isOurs(id, value)
}

/** Returns the resource if it exists on one side only. */
function comingOrGoing({ before, after }: ResourcePair): Resource | undefined {
  return before === undefined ? after : after === undefined ? before : undefined
}

function findingsOf<State>(
  { before: found, after: wanted }: ResourcePair,
  custody: Custody<State, Resource>,
  { owners, textOf, ownValue }: ResourceWords,
): readonly Finding[] {
  if (wanted && found && sameValue(ownValue(wanted), ownValue(found))) return []
  const kind: DriftKind = found === undefined ? 'missing' : wanted === undefined ? 'extra' : 'changed'
  const resource = (wanted ?? found) as Resource
  return [
    {
      owner: owners().get(resource.id) ?? owners().get(resource.refs[0] ?? '') ?? '',
      place: resource.id,
      kind,
      ...(wanted && { wanted: textOf(wanted) }),
      ...(found && { found: textOf(found) }),
      reason: custody.reasonOf(kind, { wanted, found }),
    },
  ]
}
