import { hash16 } from '../internal/hash.js'
import { trimCommonEnds } from '../internal/list-changes.js'
import {
  type ClaimIndex,
  createClaimIndex,
  findClaimants,
  type SharedKeysGetter,
  updateClaimIndex,
} from './claim-index.js'
import { type DiffOptions, pairResources, type ResourcePair } from './diff-resources.js'
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
  /** Returns the keys that other contributions may claim, too. */
  readonly sharedKeysOf: SharedKeysGetter<Contribution>
  /** Returns the rank of a claim. This function is absent if all claims to one thing have the same rank. */
  rankOf?(claim: Claim): number
  /** Reports whether two claims to a thing certainly have the same resources. */
  isSame(a: Claim, b: Claim): boolean
  /** Returns a text that identifies the definition of the thing, for digests. Equal definitions have the same text. */
  textOf(claim: Claim): string
  /** Returns the comment of a claim, which is not in its text. This function is absent if claims have no comments. */
  commentOf?(claim: Claim): string | undefined
  /** Returns the resources that exist if the claim wins. */
  resourcesOf(claim: Claim): readonly Resource[]
}

/** Compares lists of contributions. */
export interface ClaimDiffer<Contribution extends object> {
  /**
   * Returns the resources that may differ between the lists: the resources of contributions that are not the identical
   * object in both lists, and the resources of other contributions that claim the same things. A list must not contain
   * an object twice. With `withComments`, includes resources that differ only in their comments.
   */
  pairsOf(
    before: readonly Contribution[],
    after: readonly Contribution[],
    options?: DiffOptions,
  ): readonly ResourcePair[]
  /**
   * Returns a digest of all winning claims. Processes the whole list, unless `pairsOf` already derived the digest from
   * the digest of another list.
   */
  digestOf(contributions: readonly Contribution[]): string
}

export function createClaimDiffer<Contribution extends object, Claim>(
  claiming: ClaimOperations<Contribution, Claim>,
): ClaimDiffer<Contribution> {
  const digests = new WeakMap<readonly Contribution[], string>()
  const findChanged = createChangedContributionsFinder(claiming.sharedKeysOf)
  return {
    digestOf: (list) => {
      const existing = digests.get(list)
      if (existing !== undefined) return existing
      const digest = updateDigest(EMPTY_STATE_DIGEST, claimChanges([], list, claiming, {}), claiming)
      digests.set(list, digest)
      return digest
    },
    pairsOf: (before, after, options = {}) => {
      if (before === after) return []
      const digest = digests.get(before)
      const changed = findChanged(before, after)
      const changes = claimChanges(changed.before, changed.after, claiming, options)
      if (digest !== undefined) digests.set(after, updateDigest(digest, changes, claiming))
      const resources = (claim: Claim | undefined) =>
        indexResourcesById(claim === undefined ? [] : claiming.resourcesOf(claim))
      return changes.flatMap((change) => pairResources(resources(change.before), resources(change.after)))
    },
  }
}

/** The contributions of two lists that decide about their differences, in the order of the lists. */
interface ChangedContributions<Contribution> {
  readonly before: readonly Contribution[]
  readonly after: readonly Contribution[]
}

/**
 * Creates a function that returns the changed contributions of two lists, and the contributions that claim the same
 * things. The index of a list is created on the first comparison; that of another list is derived from it.
 */
function createChangedContributionsFinder<Contribution extends object>(sharedKeysOf: SharedKeysGetter<Contribution>) {
  const indexes = new WeakMap<readonly Contribution[], ClaimIndex<Contribution>>()
  return (before: readonly Contribution[], after: readonly Contribution[]): ChangedContributions<Contribution> => {
    const { removed, added } = compareContributions(before, after)
    if (removed.length === before.length || added.length === after.length) {
      return { before, after }
    }
    const index = indexes.get(before) ?? createClaimIndex(before, sharedKeysOf)
    indexes.set(before, index)
    if (!indexes.has(after)) indexes.set(after, updateClaimIndex(index, removed, added, sharedKeysOf))
    const changed = new Set([...removed, ...added])
    const others = [...findClaimants(index, changed, sharedKeysOf)].filter((each) => !changed.has(each))
    if (others.length === 0) return { before: removed, after: added }
    for (const each of others) changed.add(each)
    const select = (list: readonly Contribution[]) => list.filter((each) => changed.has(each))
    return { before: select(before), after: select(after) }
  }
}

/** A winning claim with the contribution that contains it. */
interface WinningClaim<Contribution, Claim> {
  readonly contribution: Contribution
  readonly claim: Claim
}

/** Returns the owners of the winning claims in one list, by key. */
export function findClaimOwners<Contribution extends { readonly owner: string }, Claim>(
  contributions: readonly Contribution[],
  claiming: ClaimOperations<Contribution, Claim>,
): ReadonlyMap<string, string> {
  const winning = findWinningClaims(contributions, claiming.claimsOf, claiming)
  return new Map(Array.from(winning, ([key, { contribution }]) => [key, contribution.owner]))
}

/** Returns the winning claims of a list by key. */
function findWinningClaims<Contribution extends object, Claim>(
  contributions: readonly Contribution[],
  claimsOf: (contribution: Contribution) => ReadonlyMap<string, Claim>,
  { rankOf = () => 0 }: ClaimOperations<Contribution, Claim>,
): ReadonlyMap<string, WinningClaim<Contribution, Claim>> {
  const winning = new Map<string, WinningClaim<Contribution, Claim>>()
  for (const contribution of contributions) {
    for (const [key, claim] of claimsOf(contribution)) {
      const existing = winning.get(key)
      if (existing === undefined || rankOf(claim) < rankOf(existing.claim)) winning.set(key, { claim, contribution })
    }
  }
  return winning
}

/** A winning claim that differs between two lists. */
interface ClaimChange<Claim> {
  readonly key: string
  readonly before: Claim | undefined
  readonly after: Claim | undefined
}

/** Returns the winning claims that may differ between two lists. */
function claimChanges<Contribution extends object, Claim>(
  before: readonly Contribution[],
  after: readonly Contribution[],
  claiming: ClaimOperations<Contribution, Claim>,
  { withComments = false }: DiffOptions,
): readonly ClaimChange<Claim>[] {
  const claimsOf = remembered((contribution: Contribution) => claiming.claimsOf(contribution))
  const [old, fresh] = [findWinningClaims(before, claimsOf, claiming), findWinningClaims(after, claimsOf, claiming)]
  const keys = new Set([...fresh.keys(), ...old.keys()])
  const changes = Array.from(keys, (key) => ({ key, before: old.get(key)?.claim, after: fresh.get(key)?.claim }))
  return changes.filter(({ before: removed, after: added }) => {
    if (removed === undefined || added === undefined) return removed !== added
    if (removed === added || claiming.isSame(removed, added)) return false
    return withComments || !differOnlyInComment(removed, added, claiming)
  })
}

/** Reports whether two claims define the same thing with different comments. */
function differOnlyInComment<Claim>(a: Claim, b: Claim, { textOf, commentOf }: ClaimOperations<never, Claim>): boolean {
  return commentOf !== undefined && textOf(a) === textOf(b)
}

/** Creates a memoized lookup of the claims of a contribution. */
function remembered<Contribution extends object, Claims>(
  claimsOf: (contribution: Contribution) => Claims,
): (contribution: Contribution) => Claims {
  const known = new Map<Contribution, Claims>()
  return (contribution) => {
    const claims = known.get(contribution) ?? claimsOf(contribution)
    known.set(contribution, claims)
    return claims
  }
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
  before: readonly Contribution[],
  after: readonly Contribution[],
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
