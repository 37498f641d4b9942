import { addToGroup } from '../internal/group-items.js'
import { elementAt } from '../internal/known-items.js'
import { isDeepEqual, serializeValue } from '../internal/plain-data.js'
import type { Splice } from './splice.js'

type List = readonly unknown[]

/** The indexes of an item that is the same in both lists. */
interface Match {
  readonly before: number
  readonly after: number
}

/**
 * Returns the splices that convert one list to the other, in ascending order. Common items in the same order are
 * preserved. If no item repeats, the result is minimal. Takes O(n log n) time.
 */
export function diffLists(before: List, after: List): readonly Splice[] {
  if (before === after) return []
  const start = commonStart(before, after)
  const end = commonEnd(before, after, start)
  const beforeEnd = before.length - end
  const afterEnd = after.length - end
  const splices: Splice[] = []
  let last: Match = { before: start, after: start }
  for (const match of [...longestRun(matches(before, after, start, end)), { before: beforeEnd, after: afterEnd }]) {
    pushGap(splices, before.slice(last.before, match.before), after.slice(last.after, match.after), last.before)
    last = { before: match.before + 1, after: match.after + 1 }
  }
  return splices
}

function commonStart(before: List, after: List): number {
  const limit = Math.min(before.length, after.length)
  let length = 0
  while (length < limit && isDeepEqual(before[length], after[length])) length++
  return length
}

function commonEnd(before: List, after: List, start: number): number {
  const limit = Math.min(before.length, after.length) - start
  let length = 0
  while (length < limit && isDeepEqual(before[before.length - 1 - length], after[after.length - 1 - length])) length++
  return length
}

/**
 * Pairs equal items between the common prefix and suffix. If an item occurs several times, the nth occurrences are
 * paired. The pairs are in ascending order of their index in `after`.
 */
function matches(before: List, after: List, start: number, end: number): readonly Match[] {
  const left = before.length - end - start
  const right = after.length - end - start
  if (left === 0 || right === 0 || (left === 1 && right === 1)) return []
  const places = new Map<string, number[]>()
  for (let index = before.length - end - 1; index >= start; index--) {
    addToGroup(places, serializeValue(before[index]), index)
  }
  const matching: Match[] = []
  for (let index = start; index < after.length - end; index++) {
    const place = places.get(serializeValue(after[index]))?.pop()
    if (place !== undefined) matching.push({ before: place, after: index })
  }
  return matching
}

/**
 * Returns the longest selection of matches with ascending indexes in `before` (patience sorting). The matches are in
 * ascending order of `after`.
 */
function longestRun(matches: readonly Match[]): readonly Match[] {
  const ends: number[] = []
  const previous: number[] = []
  for (const [index, match] of matches.entries()) {
    const length = runsBelow(matches, ends, match.before)
    previous.push(length === 0 ? -1 : elementAt(ends, length - 1))
    ends[length] = index
  }
  const run: Match[] = []
  for (let index = ends[ends.length - 1] ?? -1; index >= 0; index = elementAt(previous, index)) {
    run.push(elementAt(matches, index))
  }
  return run.reverse()
}

/**
 * Returns the length of the longest ascending run so far that ends below `place`. For each length, `ends` contains the
 * run of this length with the lowest end.
 */
function runsBelow(matches: readonly Match[], ends: readonly number[], place: number): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (elementAt(matches, ends[middle] as number).before < place) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Adds the splice for the items between two matches. The splice is split where removed and inserted items at the same
 * position are equal; only repeated items cause such splits.
 */
function pushGap(splices: Splice[], removed: List, inserted: List, at: number): void {
  let from = 0
  const limit = Math.min(removed.length, inserted.length)
  for (let index = 0; index < limit; index++) {
    if (!isDeepEqual(removed[index], inserted[index])) continue
    pushSplice(splices, { at: at + from, removed: removed.slice(from, index), inserted: inserted.slice(from, index) })
    from = index + 1
  }
  pushSplice(splices, { at: at + from, removed: removed.slice(from), inserted: inserted.slice(from) })
}

function pushSplice(splices: Splice[], splice: Splice): void {
  if (splice.removed.length + splice.inserted.length > 0) splices.push(splice)
}
