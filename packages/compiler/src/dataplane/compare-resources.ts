import { pairsOf, type ResourcePair } from '../patch/diff-resources.js'
import { type Resource, type Resources, sameResource, sameValue } from '../patch/resource.js'
import type { Comparison, Custody, DriftKind, Finding } from './comparison.js'

/** The two sides of a comparison: what should be there, and what a node holds. */
export interface ResourceSides {
  readonly wanted: Resources
  readonly live: Resources
}

/** How a language tells people of its resources. */
export interface ResourceWords {
  /** Whose resources are, by id, as what is wanted tells. Asked for only where something is not as it should be. */
  readonly owners: () => ReadonlyMap<string, string>
  /** The resource as its tool is told of it. */
  readonly textOf: (resource: Resource) => string
  /** What a resource says by itself, without what it is in. */
  readonly ownValue: (resource: Resource) => unknown
  /** The id of what a resource is in; absent where it refers to nothing else. */
  readonly holderOf?: (resource: Resource) => string | undefined
}

/**
 * Compares resources one by one. What is in another (an entry in a set) that is missing or too much itself is not told of by
 * itself, and what is in one that nobody wants is left alone or goes as that one does.
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

/** Whether a resource that nobody wants is ours: what it is in decides, where nobody wants that either. */
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

/** What is there on one side only. */
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
