/**
 * A list that is never changed. It is kept in chunks, so that one with a few other items is made at their cost: it has the
 * very chunks in which nothing changes, and how two lists differ is found without a look into these.
 */
export interface ChunkedList<T> {
  readonly length: number
  readonly chunks: readonly Chunk<T>[]
  /** How many items stand before each chunk. */
  readonly starts: readonly number[]
}

/** Some items that follow one another; never none. */
interface Chunk<T> {
  readonly items: readonly T[]
  /** What `sumBefore` has found of all of them, by what was counted. */
  sums: Map<string, number> | undefined
  /** What `findInChunks` has found in it, by who looked. */
  found?: Map<unknown, unknown>
}

/** Items that take the place of others in a list. */
export interface Replacement<T> {
  /** In places of the list before. */
  readonly at: number
  /** How many items go. */
  readonly removed: number
  readonly added: readonly T[]
}

/** Of a long list a change copies one chunk and the list of chunks: with 50,000 items both are short. */
const SIZE = 256

export const EMPTY_LIST: ChunkedList<never> = { length: 0, chunks: [], starts: [] }

export function chunkedList<T>(items: readonly T[]): ChunkedList<T> {
  const chunks: Chunk<T>[] = []
  pushChunks(chunks, items.slice())
  return listOfChunks(chunks)
}

/** All items; of a short list the very array it is made of. */
export function itemsOf<T>({ chunks }: ChunkedList<T>): readonly T[] {
  const [first, second] = chunks
  if (second === undefined) return first?.items ?? []
  const all: T[] = []
  return all.concat(...chunks.map(({ items }) => items))
}

export function itemAt<T>({ chunks, starts }: ChunkedList<T>, place: number): T | undefined {
  const index = chunkAt(starts, place)
  return chunks[index]?.items[place - (starts[index] ?? 0)]
}

/** The items from one place to before another. */
export function itemsBetween<T>({ chunks, starts }: ChunkedList<T>, from: number, to: number): T[] {
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

/** The list after replacements, which are ascending and apart from each other. */
export function replaceItems<T>(list: ChunkedList<T>, replacements: readonly Replacement<T>[]): ChunkedList<T> {
  if (replacements.length === 0) return list
  const { chunks, starts } = list
  const result: Chunk<T>[] = []
  let kept = 0
  for (let next = 0; next < replacements.length; ) {
    const first = chunkAt(starts, replacements[next]?.at ?? 0)
    pushAll(result, chunks, kept, first)
    // What begins in the chunks of the replacements before goes with them.
    const here: Replacement<T>[] = []
    for (kept = first; ; next++) {
      const replacement = replacements[next]
      if (replacement === undefined || (kept > first && chunkAt(starts, replacement.at) >= kept)) break
      here.push(replacement)
      const { at, removed } = replacement
      kept = Math.max(kept, chunkAt(starts, removed === 0 ? at : at + removed - 1) + 1)
    }
    const start = starts[first] ?? 0
    pushChunks(result, replaceIn(itemsBetween(list, start, starts[kept] ?? list.length), start, here))
  }
  pushAll(result, chunks, kept, chunks.length)
  return listOfChunks(result)
}

/** The items from a place of a list on, in an array that nobody else has, after replacements. */
function replaceIn<T>(items: T[], start: number, replacements: readonly Replacement<T>[]): readonly T[] {
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

/** The list of these items; with the chunks of another one where both begin and end alike, and that one where they are the same. */
export function listLike<T>(before: ChunkedList<T>, items: readonly T[]): ChunkedList<T> {
  const limit = Math.min(before.length, items.length)
  const whole = [{ items }]
  const start = commonLength(before.chunks, whole, limit, 'start')
  if (start === before.length && start === items.length) return before
  const end = commonLength(before.chunks, whole, limit - start, 'end')
  const added = items.slice(start, items.length - end)
  return replaceItems(before, [{ at: start, removed: before.length - end - start, added }])
}

export interface DifferingPart<T> {
  /** How many items stand before it in both lists. */
  readonly start: number
  readonly before: readonly T[]
  readonly after: readonly T[]
}

/** Two lists without the identical items at their starts and at their ends. Chunks that both have cost one comparison. */
export function differingItems<T>(before: ChunkedList<T>, after: ChunkedList<T>): DifferingPart<T> {
  const limit = Math.min(before.length, after.length)
  const start = commonLength(before.chunks, after.chunks, limit, 'start')
  const end = commonLength(before.chunks, after.chunks, limit - start, 'end')
  return {
    start,
    before: itemsBetween(before, start, before.length - end),
    after: itemsBetween(after, start, after.length - end),
  }
}

/** The first place whose item is not smaller: `compare` says a negative number to smaller ones, which come first. */
export function placeOf<T>({ length, chunks, starts }: ChunkedList<T>, compare: (item: T) => number): number {
  const index = firstNotSmaller(chunks, ({ items }) => compare(items[items.length - 1] as T))
  const chunk = chunks[index]
  return chunk === undefined ? length : (starts[index] ?? 0) + firstNotSmaller(chunk.items, compare)
}

/** How much there is of something in the items before a place; `countOf` counts `what` in one of them, each time in the same way. */
export function sumBefore<T>(list: ChunkedList<T>, place: number, what: string, countOf: (item: T) => number): number {
  const last = chunkAt(list.starts, place)
  let sum = 0
  for (let index = 0; index < last; index++) sum += sumOf(list.chunks[index] as Chunk<T>, what, countOf)
  for (const item of itemsBetween(list, list.starts[last] ?? 0, place)) sum += countOf(item)
  return sum
}

function sumOf<T>(chunk: Chunk<T>, what: string, countOf: (item: T) => number): number {
  const known = chunk.sums?.get(what)
  if (known !== undefined) return known
  const sum = chunk.items.reduce((total, item) => total + countOf(item), 0)
  chunk.sums ??= new Map()
  chunk.sums.set(what, sum)
  return sum
}

/** What is found in each chunk, by a function that is the same each time and depends on nothing else: in each it looks once. */
export function findInChunks<T, Found>(list: ChunkedList<T>, find: (items: readonly T[]) => Found): readonly Found[] {
  return list.chunks.map((chunk) => {
    const known = chunk.found?.get(find)
    if (known !== undefined) return known as Found
    const found = find(chunk.items)
    chunk.found ??= new Map()
    chunk.found.set(find, found)
    return found
  })
}

type Side = 'start' | 'end'
type Items<T> = Pick<Chunk<T>, 'items'>

/** How many items are the identical ones in both, counted from one side and up to a limit. */
function commonLength<T>(some: readonly Items<T>[], others: readonly Items<T>[], limit: number, side: Side): number {
  const nth = (chunks: readonly Items<T>[], index: number) =>
    chunks[side === 'start' ? index : chunks.length - 1 - index] as Items<T>
  /** The chunk of each that is looked at, and how many of its items have been. */
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

/** An array, and how many of its items have been looked at. */
type Rest<T> = readonly [items: readonly T[], passed: number]

/** The same of what is left of two arrays. `===` would look into each item, in case that it is a number. */
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

/** The chunk in which a place is; that after the last item is in the last one. */
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

function pushAll<T>(found: T[], items: readonly T[], from: number, to: number): void {
  for (let index = from; index < to; index++) found.push(items[index] as T)
}

/** Appends items, which nobody else has in this array, in chunks of no more than twice the size; few go with those before. */
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
