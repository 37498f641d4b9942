import { trimCommonEnds } from '../../../internal/list-changes.js'
import type { RuleBlock } from '../ast.js'

/**
 * The old and the new block of one owner, if the two are not the identical object. If the owner was added or removed,
 * one block is absent.
 */
export interface BlockPair {
  readonly before?: RuleBlock | undefined
  readonly after?: RuleBlock | undefined
  /** The number of blocks before this pair in the old list. */
  readonly at: number
}

/**
 * The common prefix and suffix of two lists of blocks: the first `start` and the last `end` blocks have the same owners
 * in both lists.
 */
interface CommonEnds {
  readonly start: number
  readonly end: number
}

/**
 * Returns the blocks that differ between two lists, in order. Returns undefined if the common owners are in a different
 * order.
 */
export function alignBlocks(
  before: readonly RuleBlock[],
  after: readonly RuleBlock[],
): readonly BlockPair[] | undefined {
  const part = trimCommonEnds(before, after)
  const pairs = alignDiffering(part.before, part.after)
  return pairs?.map((pair) => ({ ...pair, at: pair.at + part.start }))
}

function alignDiffering(before: readonly RuleBlock[], after: readonly RuleBlock[]): readonly BlockPair[] | undefined {
  const ends = commonEndsOf(before, after)
  const middle = alignMiddle(before, after, ends)
  if (middle === undefined) return undefined
  const pairs: BlockPair[] = []
  pushChanged(pairs, before, after, { from: 0, to: ends.start, shift: 0 })
  for (const pair of middle) pairs.push(pair)
  const shift = after.length - before.length
  pushChanged(pairs, before, after, { from: before.length - ends.end, to: before.length, shift })
  return pairs
}

function commonEndsOf(before: readonly RuleBlock[], after: readonly RuleBlock[]): CommonEnds {
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && sameOwner(before[start], after[start])) start++
  let end = 0
  while (end < limit - start && sameOwner(before[before.length - 1 - end], after[after.length - 1 - end])) end++
  return { start, end }
}

function sameOwner(a: RuleBlock | undefined, b: RuleBlock | undefined): boolean {
  return a === b || a?.owner === b?.owner
}

/**
 * Appends the pairs of differing blocks with indexes from `from` to `to` (exclusive) in the old list. The block at
 * index `at` in the old list corresponds to the block at `at + shift` in the new list.
 */
function pushChanged(
  pairs: BlockPair[],
  before: readonly RuleBlock[],
  after: readonly RuleBlock[],
  { from, to, shift }: { readonly from: number; readonly to: number; readonly shift: number },
): void {
  for (let at = from; at < to; at++) {
    if (before[at] !== after[at + shift]) pairs.push({ before: before[at], after: after[at + shift], at })
  }
}

function alignMiddle(
  before: readonly RuleBlock[],
  after: readonly RuleBlock[],
  { start, end }: CommonEnds,
): readonly BlockPair[] | undefined {
  const removed = before.slice(start, before.length - end)
  const added = after.slice(start, after.length - end)
  const ownersBefore = new Set(added.length === 0 ? [] : removed.map(({ owner }) => owner))
  const ownersAfter = new Set(removed.length === 0 ? [] : added.map(({ owner }) => owner))
  const pairs: BlockPair[] = []
  let left = 0
  let right = 0
  while (left < removed.length || right < added.length) {
    const old = removed[left]
    const fresh = added[right]
    const at = start + left
    if (old !== undefined && fresh !== undefined && old.owner === fresh.owner) {
      if (old !== fresh) pairs.push({ before: old, after: fresh, at })
      left++
      right++
    } else if (old !== undefined && !ownersAfter.has(old.owner)) {
      pairs.push({ before: old, at })
      left++
    } else if (fresh !== undefined && !ownersBefore.has(fresh.owner)) {
      pairs.push({ after: fresh, at })
      right++
    } else {
      return undefined
    }
  }
  return pairs
}
