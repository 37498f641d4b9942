import { pairsOf, type ResourcePair } from '../../diff/diff.js'
import { combineDigests, NO_DIGEST } from '../../diff/digest.js'
import type { Resource } from '../../diff/resource.js'
import { hash16 } from '../../internal/hash.js'
import { addClaimant, type ClaimIndex, removeClaimant } from './claim-index.js'
import { type Claim, claimResources, claimsOf, claimText } from './claims.js'
import { type ClaimsBy, metClaims, rememberedClaims } from './met-claims.js'
import { type ServiceChanges, serviceChanges } from './service-changes.js'
import type { IpvsModeState } from './state.js'

type State = IpvsModeState | undefined

/** Goes on to the next state with each diff. A state whose index has gone gets a new one when it is needed again. */
const indexes = new WeakMap<IpvsModeState, ClaimIndex>()
const digests = new WeakMap<IpvsModeState, string>()

/**
 * The resources of virtual servers, entries of sets and addresses that may differ. It looks at what service ports claim
 * that are not the identical object in both states, and at who else claims that. Undefined is a state of nothing.
 */
export function diffClaims(before: State, after: State): readonly ResourcePair[] {
  const family = (after ?? before)?.family
  if (before === after || family === undefined) return []
  const claimsBy = rememberedClaims()
  const digest = digestOfClaims(before)
  const index = takeIndex(before)
  const changes = claimChanges(before, after, index, claimsBy)
  if (after !== undefined) {
    indexes.set(after, index)
    digests.set(after, carriedDigest(digest, changes))
  }
  const resources = (claim: Claim | undefined) => byId(claim === undefined ? [] : claimResources(claim, family))
  return changes.flatMap((change) => pairsOf(resources(change.before), resources(change.after)))
}

/** A digest of everything that service ports claim and get. Looks at all of it where no diff has led to the state. */
export function digestOfClaims(state: State): string {
  if (state === undefined) return NO_DIGEST
  const digest = digests.get(state) ?? combineDigests(NO_DIGEST, metDigests(state), [])
  digests.set(state, digest)
  return digest
}

/** What is claimed and met in two states, where the two are not the same. */
interface ClaimChange {
  readonly key: string
  readonly before: Claim | undefined
  readonly after: Claim | undefined
}

/** `index`, that of the state before, becomes that of the state after. */
function claimChanges(before: State, after: State, index: ClaimIndex, claimsBy: ClaimsBy): readonly ClaimChange[] {
  const [old, fresh] = [before?.services ?? [], after?.services ?? []]
  const changes = serviceChanges(old, fresh)
  const keys = new Set([...changes.come, ...changes.gone].flatMap((service) => [...claimsBy(service).keys()]))
  const met = metClaims(keys, index, old, claimsBy)
  applyChanges(index, changes, claimsBy)
  const wanted = metClaims(keys, index, fresh, claimsBy)
  return Array.from(keys, (key) => ({ key, before: met.get(key), after: wanted.get(key) })).filter(isChange)
}

function isChange({ before, after }: ClaimChange): boolean {
  if (before === undefined || after === undefined) return before !== after
  return claimText(before) !== claimText(after)
}

function applyChanges(index: ClaimIndex, { gone, come }: ServiceChanges, claimsBy: ClaimsBy): void {
  for (const service of gone) for (const key of claimsBy(service).keys()) removeClaimant(index, key, service)
  for (const service of come) for (const key of claimsBy(service).keys()) addClaimant(index, key, service)
}

/** Takes it away from the state, so that nobody finds it half changed. */
function takeIndex(state: State): ClaimIndex {
  if (state === undefined) return new Map()
  const index = indexOf(state)
  indexes.delete(state)
  return index
}

function indexOf(state: IpvsModeState): ClaimIndex {
  const known = indexes.get(state)
  if (known !== undefined) return known
  const index: ClaimIndex = new Map()
  for (const service of state.services) for (const key of claimsOf(service).keys()) addClaimant(index, key, service)
  indexes.set(state, index)
  return index
}

function carriedDigest(digest: string, changes: readonly ClaimChange[]): string {
  const digestsOf = (side: 'before' | 'after') =>
    changes.flatMap(({ key, [side]: claim }) => (claim === undefined ? [] : [digestOfClaim(key, claim)]))
  return combineDigests(digest, digestsOf('after'), digestsOf('before'))
}

function metDigests(state: IpvsModeState): readonly string[] {
  const index = indexOf(state)
  const met = metClaims(index.keys(), index, state.services, rememberedClaims())
  return Array.from(met, ([key, claim]) => digestOfClaim(key, claim))
}

function digestOfClaim(key: string, claim: Claim): string {
  return hash16(`${key}\n${claimText(claim)}`)
}

function byId(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  return new Map(resources.map((resource) => [resource.id, resource]))
}
