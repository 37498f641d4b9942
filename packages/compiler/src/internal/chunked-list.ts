/**
 * An immutable list that is stored in chunks. A modified list shares the unchanged chunks of the original list, so its
 * cost depends only on the changed items. The comparison of two lists skips shared chunks.
 */
export interface ChunkedList<T> {
  readonly length: number
  readonly chunks: readonly Chunk<T>[]
  /** The number of items before each chunk. */
  readonly starts: readonly number[]
}

/** Consecutive items; never empty. */
interface Chunk<T> {
  readonly items: readonly T[]
  /** The sums over the whole chunk that `prefixSum` caches, by the name of the sum. */
  sums: Map<string, number> | undefined
  /** The cached results of `mapChunks` for this chunk, by function. */
  found?: Map<unknown, unknown>
}

/** A replacement of items in a list. */
export interface ListReplacement<T> {
  /** The index of the replaced items in the old list. */
  readonly at: number
  /** The number of removed items. */
  readonly removed: number
  readonly added: readonly T[]
}

/**
 * The chunk size. A change copies one chunk and the list of chunks. With this size, both copies are short for 50,000
 * items.
 */
const SIZE = 256

export const EMPTY_LIST: ChunkedList<never> = { length: 0, chunks: [], starts: [] }

export function createChunkedList<T>(items: readonly T[]): ChunkedList<T> {
  const chunks: Chunk<T>[] = []
  pushChunks(chunks, items.slice())
  return listOfChunks(chunks)
}

/** Returns all items. For a short list, returns the underlying array. */
export function toArray<T>({ chunks }: ChunkedList<T>): readonly T[] {
  const [first, second] = chunks
  if (second === undefined) return first?.items ?? []
  const all: T[] = []
  return all.concat(...chunks.map(({ items }) => items))
}

export function getItem<T>({ chunks, starts }: ChunkedList<T>, place: number): T | undefined {
  const index = chunkAt(starts, place)
  return chunks[index]?.items[place - (starts[index] ?? 0)]
}

/** Returns the items from index `from` to index `to` (exclusive). */
export function sliceItems<T>({ chunks, starts }: ChunkedList<T>, from: number, to: number): T[] {
  const pieces: T[][] = []
  let place = from
  for (let index = chunkAt(starts, from); place < to; index++) {
    const [start, { items }] = [starts[index] as number, chunks[index] as Chunk<T>]
    const end = Math.min(to - start, items.length)
    pieces.push(items.slice(place - start, end))
    place = start + end
  }
  const [first, second] = pieces
  if (second === undefined) return first ?? []
  const all: T[] = []
  return all.concat(...pieces)
}

/** Applies replacements to a list. The replacements must be in ascending order and disjoint. */
export function replaceItems<T>(list: ChunkedList<T>, replacements: readonly ListReplacement<T>[]): ChunkedList<T> {
  if (replacements.length === 0) return list
  const { chunks, starts } = list
  const result: Chunk<T>[] = []
  let kept = 0
  for (let next = 0; next < replacements.length; ) {
    const first = chunkAt(starts, replacements[next]?.at ?? 0)
    pushAll(result, chunks, kept, first)
    // Adjacent replacements that affect a common chunk are applied together.
    const here: ListReplacement<T>[] = []
    for (kept = first; ; next++) {
      const replacement = replacements[next]
      if (replacement === undefined || (kept > first && chunkAt(starts, replacement.at) >= kept)) break
      here.push(replacement)
      const { at, removed } = replacement
      kept = Math.max(kept, chunkAt(starts, removed === 0 ? at : at + removed - 1) + 1)
    }
    const start = starts[first] ?? 0
    pushChunks(result, replaceIn(sliceItems(list, start, starts[kept] ?? list.length), start, here))
  }
  pushAll(result, chunks, kept, chunks.length)
  return listOfChunks(result)
}

/**
 * Applies replacements to an array. The array may be modified, because no other list shares it. `start` is the index of
 * the first item of the array in the list.
 */
function replaceIn<T>(items: T[], start: number, replacements: readonly ListReplacement<T>[]): readonly T[] {
  if (replacements.every(({ removed, added }) => removed === added.length)) {
    for (const { at, added } of replacements) {
      for (let index = 0; index < added.length; index++) items[at - start + index] = added[index] as T
    }
    return items
  }
  const result: T[] = []
  let from = 0
  for (const { at, removed, added } of replacements) {
    pushAll(result, items, from, at - start)
    pushAll(result, added, 0, added.length)
    from = at - start + removed
  }
  pushAll(result, items, from, items.length)
  return result.slice()
}

/**
 * Creates a list of these items that shares chunks with `before` at the common prefix and suffix. Returns `before` if
 * its items are the same.
 */
export function createListSharingChunks<T>(before: ChunkedList<T>, items: readonly T[]): ChunkedList<T> {
  const limit = Math.min(before.length, items.length)
  const whole = [{ items }]
  const start = commonLength(before.chunks, whole, limit, 'start')
  if (start === before.length && start === items.length) return before
  const end = commonLength(before.chunks, whole, limit - start, 'end')
  const added = items.slice(start, items.length - end)
  return replaceItems(before, [{ at: start, removed: before.length - end - start, added }])
}

export interface DifferingItems<T> {
  /** The length of the common prefix of both lists. */
  readonly start: number
  readonly before: readonly T[]
  readonly after: readonly T[]
}

/** Returns the parts of two lists between their common prefix and suffix. A shared chunk costs one comparison. */
export function trimCommonEnds<T>(before: ChunkedList<T>, after: ChunkedList<T>): DifferingItems<T> {
  const limit = Math.min(before.length, after.length)
  const start = commonLength(before.chunks, after.chunks, limit, 'start')
  const end = commonLength(before.chunks, after.chunks, limit - start, 'end')
  return {
    start,
    before: sliceItems(before, start, before.length - end),
    after: sliceItems(after, start, after.length - end),
  }
}

/**
 * Returns the index of the first item with a nonnegative result of `compare`. All items with a negative result must
 * come first.
 */
export function findLowerBound<T>({ length, chunks, starts }: ChunkedList<T>, compare: (item: T) => number): number {
  const index = firstNotSmaller(chunks, ({ items }) => compare(items[items.length - 1] as T))
  const chunk = chunks[index]
  return chunk === undefined ? length : (starts[index] ?? 0) + firstNotSmaller(chunk.items, compare)
}

/**
 * Returns the sum of `countOf` over the items before the index `place`. Sums of chunks are cached by the name `what`,
 * so `countOf` must always return the same count for the same item and name.
 */
export function prefixSum<T>(list: ChunkedList<T>, place: number, what: string, countOf: (item: T) => number): number {
  const last = chunkAt(list.starts, place)
  let sum = 0
  for (let index = 0; index < last; index++) sum += sumOf(list.chunks[index] as Chunk<T>, what, countOf)
  for (const item of sliceItems(list, list.starts[last] ?? 0, place)) sum += countOf(item)
  return sum
}

function sumOf<T>(chunk: Chunk<T>, what: string, countOf: (item: T) => number): number {
  const existing = chunk.sums?.get(what)
  if (existing !== undefined) return existing
  const sum = chunk.items.reduce((total, item) => total + countOf(item), 0)
  chunk.sums ??= new Map()
  chunk.sums.set(what, sum)
  return sum
}

/**
 * Calls a function with the items of each chunk and returns the results, which are cached by chunk. The function must
 * be the same function each time, and its result must depend only on the items.
 */
export function mapChunks<T, Found>(list: ChunkedList<T>, find: (items: readonly T[]) => Found): readonly Found[] {
  return list.chunks.map((chunk) => findInChunk(chunk, find))
}

function findInChunk<T, Found>(chunk: Chunk<T>, find: (items: readonly T[]) => Found): Found {
  const existing = chunk.found?.get(find)
  if (existing !== undefined) return existing as Found
  const result = find(chunk.items)
  chunk.found ??= new Map()
  chunk.found.set(find, result)
  return result
}

type Side = 'start' | 'end'
type Items<T> = Pick<Chunk<T>, 'items'>

/** Counts the identical items of both lists from the start or from the end, up to a limit. */
function commonLength<T>(some: readonly Items<T>[], others: readonly Items<T>[], limit: number, side: Side): number {
  const nth = (chunks: readonly Items<T>[], index: number) =>
    chunks[side === 'start' ? index : chunks.length - 1 - index] as Items<T>
  /** The index of the current chunk in each list, and the number of processed items in each of the two chunks. */
  let [one, other, ofOne, ofOther] = [0, 0, 0, 0]
  let length = 0
  while (length < limit) {
    const [a, b] = [nth(some, one), nth(others, other)]
    const run = Math.min(a.items.length - ofOne, b.items.length - ofOther, limit - length)
    const same = a === b && ofOne === ofOther ? run : commonRun([a.items, ofOne], [b.items, ofOther], run, side)
    length += same
    if (same < run) break
    ofOne = (ofOne + run) % a.items.length
    ofOther = (ofOther + run) % b.items.length
    if (ofOne === 0) one++
    if (ofOther === 0) other++
  }
  return length
}

/** An array with the number of its items that are already processed. */
type Rest<T> = readonly [items: readonly T[], passed: number]

/**
 * Counts the identical items at the start of the unprocessed parts of two arrays. `Object.is` is faster here, because
 * `===` would first check whether each item is a number.
 */
function commonRun<T>([a, ofA]: Rest<T>, [b, ofB]: Rest<T>, run: number, side: Side): number {
  let length = 0
  if (side === 'start') {
    while (length < run && Object.is(a[ofA + length], b[ofB + length])) length++
  } else {
    const [lastA, lastB] = [a.length - 1 - ofA, b.length - 1 - ofB]
    while (length < run && Object.is(a[lastA - length], b[lastB - length])) length++
  }
  return length
}

/** Returns the chunk that contains an index. The index after the last item belongs to the last chunk. */
function chunkAt(starts: readonly number[], place: number): number {
  return Math.max(0, firstNotSmaller(starts, (start) => start - place - 1) - 1)
}

function firstNotSmaller<T>(items: readonly T[], compare: (item: T) => number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(items[middle] as T) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function pushAll<T>(list: T[], items: readonly T[], from: number, to: number): void {
  for (let index = from; index < to; index++) list.push(items[index] as T)
}

/**
 * Appends the items of an unshared array as chunks with at most twice the chunk size. If all items fit into the
 * preceding chunk, they are merged with it.
 */
function pushChunks<T>(chunks: Chunk<T>[], items: readonly T[]): void {
  if (items.length === 0) return
  const last = chunks.at(-1)
  if (last !== undefined && last.items.length + items.length <= SIZE) {
    chunks[chunks.length - 1] = { items: last.items.concat(items), sums: undefined }
    return
  }
  if (items.length <= 2 * SIZE) {
    chunks.push({ items, sums: undefined })
    return
  }
  const count = Math.ceil(items.length / SIZE)
  for (let index = 0; index < count; index++) {
    const [from, to] = [index, index + 1].map((each) => Math.round((each * items.length) / count))
    chunks.push({ items: items.slice(from, to), sums: undefined })
  }
}

function listOfChunks<T>(chunks: readonly Chunk<T>[]): ChunkedList<T> {
  let length = 0
  const starts: number[] = []
  for (const { items } of chunks) {
    starts.push(length)
    length += items.length
  }
  return chunks.length === 0 ? EMPTY_LIST : { length, chunks, starts }
}
