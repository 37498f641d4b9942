import { addToGroup } from '../internal/group-items.js'
import { EMPTY_MAP, getValue, type LayeredMap, withValues } from '../internal/layered-map.js'

/**
 * Returns the keys of a contribution that other contributions may claim, too. Different things may have the same key;
 * this only makes a comparison slower.
 */
export type SharedKeysGetter<Contribution> = (contribution: Contribution) => readonly string[]

/**
 * The contributions of a list by the hashes of their shared keys. Immutable: the index of the next list shares all
 * unchanged entries. Hashes instead of keys, because the keys would need several times as much memory.
 */
export type ClaimIndex<Contribution> = LayeredMap<Contributions<Contribution>, number>

/** Contributions with the same hash. Nearly always, this is only one. */
type Contributions<Contribution> = Contribution | readonly Contribution[]

export function createClaimIndex<Contribution extends object>(
  contributions: Iterable<Contribution>,
  sharedKeysOf: SharedKeysGetter<Contribution>,
): ClaimIndex<Contribution> {
  const base = new Map<number, Contributions<Contribution>>()
  /** The contributions of hashes that several contributions have. */
  const several = new Map<number, Contribution[]>()
  for (const contribution of contributions) {
    for (const key of sharedKeysOf(contribution)) {
      const hash = hashKey(key)
      const first = base.get(hash)
      if (first === undefined) base.set(hash, contribution)
      else if (first !== contribution) addToGroup(several, hash, contribution)
    }
  }
  for (const [hash, others] of several) base.set(hash, [...itemsOf(base.get(hash)), ...others])
  return { ...EMPTY_MAP, base }
}

/** Returns the index of a list after these contributions were removed and added. */
export function updateClaimIndex<Contribution extends object>(
  index: ClaimIndex<Contribution>,
  removed: Iterable<Contribution>,
  added: Iterable<Contribution>,
  sharedKeysOf: SharedKeysGetter<Contribution>,
): ClaimIndex<Contribution> {
  const values = new Map<number, Set<Contribution>>()
  const itemsAt = (key: string): Set<Contribution> => {
    const hash = hashKey(key)
    const value = values.get(hash) ?? new Set(itemsOf(getValue(index, hash)))
    values.set(hash, value)
    return value
  }
  for (const each of removed) for (const key of sharedKeysOf(each)) itemsAt(key).delete(each)
  for (const each of added) for (const key of sharedKeysOf(each)) itemsAt(key).add(each)
  return values.size === 0
    ? index
    : withValues(index, new Map(Array.from(values, ([hash, items]) => [hash, toValue([...items])])))
}

/**
 * Returns all contributions of an index that have a shared key of one of these contributions. May also return
 * contributions with different keys that have the same hash.
 */
export function findClaimants<Contribution extends object>(
  index: ClaimIndex<Contribution>,
  contributions: Iterable<Contribution>,
  sharedKeysOf: SharedKeysGetter<Contribution>,
): ReadonlySet<Contribution> {
  const claimants = new Set<Contribution>()
  for (const contribution of contributions) {
    for (const key of sharedKeysOf(contribution)) {
      for (const claimant of itemsOf(getValue(index, hashKey(key)))) claimants.add(claimant)
    }
  }
  return claimants
}

function itemsOf<Contribution>(value: Contributions<Contribution> | undefined): readonly Contribution[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value as Contribution]
}

function toValue<Contribution>(items: readonly Contribution[]): Contributions<Contribution> | undefined {
  return items.length > 1 ? items : items[0]
}

/** Returns a hash of 32 bits (FNV-1a). */
function hashKey(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash
}
