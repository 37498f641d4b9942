import { type ChunkedList, toArray, trimCommonEnds } from '../internal/chunked-list.js'
import { hash16 } from '../internal/hash.js'
import { pairResources, type ResourcePair } from './diff-resources.js'
import { combineDigests, EMPTY_STATE_DIGEST } from './digest.js'
import { indexResourcesById, type Resource } from './resource.js'

/**
 * The functions that compare states with contributions. A contribution is the content of one owner. It consists of
 * claims; each claim defines one thing, such as a set entry. A thing with several claims exists only once, as the
 * winning claim defines it. The winning claim is the claim with the lowest rank. If several claims have the lowest
 * rank, the claim of the first contribution wins.
 */
export interface ClaimOperations<Contribution extends object, Claim> {
  /** Returns the claims of a contribution by the key of the claimed thing. */
  claimsOf(contribution: Contribution): ReadonlyMap<string, Claim>
  /** Returns the rank of a claim. This function is absent if all claims to one thing have the same rank. */
  rankOf?(claim: Claim): number
  /**
   * Returns a text that identifies the definition of the thing. If two claims to a thing have the same text, they have
   * the same resources.
   */
  textOf(claim: Claim): string
  /** Returns the resources that exist if the claim wins. */
  resourcesOf(claim: Claim): readonly Resource[]
}

/**
 * Compares lists of contributions. The claims of a list are cached in an index. After a comparison, the index belongs
 * to the new list.
 */
export interface ClaimDiffer<Contribution extends object> {
  /**
   * Returns the resources that may differ between the lists: the resources of contributions that are not the identical
   * object in both lists, and the resources of other contributions that claim the same things. A list must not contain
   * an object twice.
   */
  pairsOf(before: ChunkedList<Contribution>, after: ChunkedList<Contribution>): readonly ResourcePair[]
  /**
   * Returns a digest of all winning claims. Processes the whole list, unless `pairsOf` already derived the digest from
   * the digest of another list.
   */
  digestOf(contributions: ChunkedList<Contribution>): string
}

export function createClaimDiffer<Contribution extends object, Claim>(
  claiming: ClaimOperations<Contribution, Claim>,
): ClaimDiffer<Contribution> {
  type List = ChunkedList<Contribution>
  /**
   * The index of the claims of each list. Each comparison moves the index from the old list to the new list. A list
   * without an index gets a new index on demand.
   */
  const indexes = new WeakMap<List, ClaimIndex<Contribution>>()
  const digests = new WeakMap<List, string>()

  const indexOf = (list: List): ClaimIndex<Contribution> => {
    const index = indexes.get(list) ?? new Map()
    if (!indexes.has(list)) for (const each of toArray(list)) addTo(index, each, claiming.claimsOf(each).keys())
    indexes.set(list, index)
    return index
  }
  const digestOf = (list: List): string => {
    const existing = digests.get(list)
    if (existing !== undefined) return existing
    const index = indexOf(list)
    const met = claimsMetTo(index.keys(), index, list, remembered(claiming.claimsOf), claiming)
    const claims = Array.from(met, ([key, after]) => ({ key, before: undefined, after }))
    const digest = updateDigest(EMPTY_STATE_DIGEST, claims, claiming)
    digests.set(list, digest)
    return digest
  }
  return {
    digestOf,
    pairsOf: (before, after) => {
      if (before === after) return []
      const digest = digests.get(before)
      const index = indexOf(before)
      // The index is removed from the cache first, so that a failure does not leave a partly changed index.
      indexes.delete(before)
      const changes = claimChanges(before, after, index, claiming)
      indexes.set(after, index)
      if (digest !== undefined) digests.set(after, updateDigest(digest, changes, claiming))
      const resources = (claim: Claim | undefined) =>
        indexResourcesById(claim === undefined ? [] : claiming.resourcesOf(claim))
      return changes.flatMap((change) => pairResources(resources(change.before), resources(change.after)))
    },
  }
}

/** A winning claim with the contribution that contains it. */
interface Met<Contribution, Claim> {
  readonly contribution: Contribution
  readonly claim: Claim
}

/** Returns the owners of the winning claims in one list, by key. */
export function findClaimOwners<Contribution extends { readonly owner: string }, Claim>(
  contributions: readonly Contribution[],
  claiming: ClaimOperations<Contribution, Claim>,
): ReadonlyMap<string, string> {
  const met = new Map<string, Met<Contribution, Claim>>()
  const rankOf = (claim: Claim) => claiming.rankOf?.(claim) ?? 0
  for (const contribution of contributions) {
    for (const [key, claim] of claiming.claimsOf(contribution)) {
      const existing = met.get(key)
      if (existing === undefined || rankOf(claim) < rankOf(existing.claim)) met.set(key, { claim, contribution })
    }
  }
  return new Map(Array.from(met, ([key, { contribution }]) => [key, contribution.owner]))
}

/**
 * An index from each thing to the contributions that claim it. Most things have one claimant, so a single claimant is
 * stored directly. Some things have thousands of claimants.
 */
type ClaimIndex<Contribution extends object> = Map<string, Contribution | Set<Contribution>>

/** A winning claim that differs between two lists. */
interface ClaimChange<Claim> {
  readonly key: string
  readonly before: Claim | undefined
  readonly after: Claim | undefined
}

type ClaimsOf<Contribution extends object, Claim> = (contribution: Contribution) => ReadonlyMap<string, Claim>

/** Returns the winning claims that differ between two lists, and converts `index` from the old list to the new list. */
function claimChanges<Contribution extends object, Claim>(
  before: ChunkedList<Contribution>,
  after: ChunkedList<Contribution>,
  index: ClaimIndex<Contribution>,
  claiming: ClaimOperations<Contribution, Claim>,
): readonly ClaimChange<Claim>[] {
  const claimsOf = remembered(claiming.claimsOf)
  const { removed, added } = compareContributions(before, after)
  const keys = new Set([...added, ...removed].flatMap((each) => [...claimsOf(each).keys()]))
  const met = claimsMetTo(keys, index, before, claimsOf, claiming)
  for (const each of removed) removeFrom(index, each, claimsOf(each).keys())
  for (const each of added) addTo(index, each, claimsOf(each).keys())
  const expected = claimsMetTo(keys, index, after, claimsOf, claiming)
  const changes = Array.from(keys, (key) => ({ key, before: met.get(key), after: expected.get(key) }))
  return changes.filter(({ before: old, after: fresh }) =>
    old === undefined || fresh === undefined ? old !== fresh : claiming.textOf(old) !== claiming.textOf(fresh),
  )
}

/**
 * The contributions that were removed from a list or added to the list. For a changed contribution, the old object is
 * in `removed` and the new object is in `added`.
 */
export interface ContributionChanges<Contribution> {
  readonly removed: readonly Contribution[]
  readonly added: readonly Contribution[]
}

/**
 * Compares two lists by identity. The common prefix and suffix cost one comparison per item. If contributions that both
 * lists contain are in a different order, everything between the prefix and the suffix counts as removed and added.
 */
export function compareContributions<Contribution extends object>(
  before: ChunkedList<Contribution>,
  after: ChunkedList<Contribution>,
): ContributionChanges<Contribution> {
  const middle = trimCommonEnds(before, after)
  const old = new Set(middle.before)
  const fresh = new Set(middle.after)
  const stayed = middle.before.filter((each) => fresh.has(each))
  const kept = middle.after.filter((each) => old.has(each))
  if (stayed.some((each, place) => each !== kept[place])) return { removed: middle.before, added: middle.after }
  return {
    removed: middle.before.filter((each) => !fresh.has(each)),
    added: middle.after.filter((each) => !old.has(each)),
  }
}

/** Returns the winning claims to the things with these keys; things without claims are left out. */
function claimsMetTo<Contribution extends object, Claim>(
  keys: Iterable<string>,
  index: ClaimIndex<Contribution>,
  contributions: ChunkedList<Contribution>,
  claimsOf: ClaimsOf<Contribution, Claim>,
  { rankOf }: ClaimOperations<Contribution, Claim>,
): ReadonlyMap<string, Claim> {
  let places: ReadonlyMap<Contribution, number> | undefined
  const placeOf = (contribution: Contribution): number => {
    places ??= new Map(toArray(contributions).map((each, place) => [each, place]))
    return places.get(contribution) ?? contributions.length
  }
  const leadOf = (a: Met<Contribution, Claim>, b: Met<Contribution, Claim>): number => {
    if (rankOf === undefined) return 0
    return rankOf(b.claim) - rankOf(a.claim) || placeOf(b.contribution) - placeOf(a.contribution)
  }
  const met = new Map<string, Claim>()
  for (const key of keys) {
    let first: Met<Contribution, Claim> | undefined
    for (const contribution of claimants(index, key)) {
      const claim = claimsOf(contribution).get(key)
      if (claim !== undefined && (first === undefined || leadOf({ contribution, claim }, first) > 0)) {
        first = { contribution, claim }
      }
      if (rankOf === undefined && first !== undefined) break
    }
    if (first !== undefined) met.set(key, first.claim)
  }
  return met
}

/** Creates a memoized lookup of the claims of a contribution. */
function remembered<Contribution extends object, Claim>(
  claimsOf: ClaimsOf<Contribution, Claim>,
): ClaimsOf<Contribution, Claim> {
  const known = new Map<Contribution, ReadonlyMap<string, Claim>>()
  return (contribution) => {
    const claims = known.get(contribution) ?? claimsOf(contribution)
    known.set(contribution, claims)
    return claims
  }
}

/** Returns the claimants of a thing, unordered. */
function claimants<Contribution extends object>(index: ClaimIndex<Contribution>, key: string): Iterable<Contribution> {
  const existing = index.get(key)
  if (existing instanceof Set) return existing
  return existing === undefined ? [] : [existing]
}

function addTo<Contribution extends object>(
  index: ClaimIndex<Contribution>,
  contribution: Contribution,
  keys: Iterable<string>,
): void {
  for (const key of keys) {
    const existing = index.get(key)
    if (existing === undefined) index.set(key, contribution)
    else if (existing instanceof Set) existing.add(contribution)
    else index.set(key, new Set([existing, contribution]))
  }
}

function removeFrom<Contribution extends object>(
  index: ClaimIndex<Contribution>,
  contribution: Contribution,
  keys: Iterable<string>,
): void {
  for (const key of keys) {
    const existing = index.get(key)
    if (existing === contribution) index.delete(key)
    if (!(existing instanceof Set)) continue
    existing.delete(contribution)
    if (existing.size === 0) index.delete(key)
  }
}

/** Returns the digest after these changes of winning claims. */
function updateDigest<Contribution extends object, Claim>(
  digest: string,
  changes: readonly ClaimChange<Claim>[],
  { textOf }: ClaimOperations<Contribution, Claim>,
): string {
  const digestsOf = (side: 'before' | 'after') =>
    changes.flatMap(({ key, [side]: claim }) => (claim === undefined ? [] : [hash16(`${key}\n${textOf(claim)}`)]))
  return combineDigests(digest, digestsOf('after'), digestsOf('before'))
}
