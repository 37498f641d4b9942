import { type ChunkedList, type DifferingItems, filterRange, type ListRange } from '../internal/chunked-list.js'

/**
 * Calls a test with two parts of each key that other contributions may claim, too, and reports whether the test is true
 * for one of them. Equal keys have equal parts, such as an address and a port.
 */
export type SharedKeyTester<Contribution> = (contribution: Contribution, test: KeyTest) => boolean

export type KeyTest = (first: string, second: string | number) => boolean

/** The contributions of two lists that decide about their differences, in the order of the lists. */
export interface Claimants<Contribution> {
  readonly before: readonly Contribution[]
  readonly after: readonly Contribution[]
}

/**
 * Finds the changed contributions, and those that claim the same shared keys. `middle` is the differing part of
 * the lists, and `after` is the second list.
 */
export type ClaimantFinder<Contribution> = (
  after: ChunkedList<Contribution>,
  middle: DifferingItems<Contribution>,
  changed: ReadonlySet<Contribution>,
) => Claimants<Contribution>

/**
 * Creates a finder. For unchanged chunks, it keeps the hashes of the shared keys. They take much less memory than an
 * index of keys, and exclude nearly all chunks without a claimant.
 */
export function createClaimantFinder<Contribution>(
  someSharedKey: SharedKeyTester<Contribution>,
): ClaimantFinder<Contribution> {
  const find = (items: readonly Contribution[]): Int32Array => hashKeys(items, someSharedKey)
  return (after, middle, changed) => {
    const keys = collectKeys(changed, someSharedKey)
    const test = (each: Contribution) => someSharedKey(each, keys)
    const hashes = hashKeys(changed, someSharedKey)
    const mayContain = (known: Int32Array) => hashes.some((hash) => includesSorted(known, hash))
    const claimantsIn = (range: ListRange) => filterRange(after, range, { test, find, mayContain })
    const first = claimantsIn({ from: 0, to: middle.start })
    const last = claimantsIn({ from: middle.start + middle.after.length, to: after.length })
    const isClaimant = (each: Contribution) => changed.has(each) || test(each)
    const join = (items: readonly Contribution[]) => [...first, ...items.filter(isClaimant), ...last]
    return { before: join(middle.before), after: join(middle.after) }
  }
}

/** Returns a test for the shared keys of contributions. */
function collectKeys<Contribution>(
  contributions: Iterable<Contribution>,
  someSharedKey: SharedKeyTester<Contribution>,
): KeyTest {
  const seconds = new Map<string, Set<string | number>>()
  visitKeys(contributions, someSharedKey, (first, second) => {
    seconds.set(first, (seconds.get(first) ?? new Set()).add(second))
  })
  return (first, second) => seconds.get(first)?.has(second) === true
}

/** Returns the sorted hashes of the shared keys of contributions. */
function hashKeys<Contribution>(
  contributions: Iterable<Contribution>,
  someSharedKey: SharedKeyTester<Contribution>,
): Int32Array {
  const hashes: number[] = []
  visitKeys(contributions, someSharedKey, (first, second) => {
    hashes.push(hashKey(first, second))
  })
  return Int32Array.from(hashes).sort()
}

function visitKeys<Contribution>(
  contributions: Iterable<Contribution>,
  someSharedKey: SharedKeyTester<Contribution>,
  visit: (first: string, second: string | number) => void,
): void {
  const visitAll: KeyTest = (first, second) => {
    visit(first, second)
    return false
  }
  for (const each of contributions) someSharedKey(each, visitAll)
}

/** Returns a hash of 32 bits (FNV-1a). */
function hashKey(first: string, second: string | number): number {
  const hash = hashText(0x811c9dc5, first)
  return (typeof second === 'number' ? mix(hash, second) : hashText(hash, second)) | 0
}

function hashText(start: number, text: string): number {
  let hash = start
  for (let index = 0; index < text.length; index++) hash = mix(hash, text.charCodeAt(index))
  return hash
}

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

function includesSorted(sorted: Int32Array, value: number): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return sorted[low] === value
}
