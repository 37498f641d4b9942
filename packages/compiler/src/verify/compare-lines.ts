import { diffLists } from '../diff/diff-lists.js'
import { append } from '../internal/append.js'
import type { Line } from './align-chain.js'

/** One rule that is not as it should be. Both are there for one that says something else or stands elsewhere. */
export interface LineChange {
  readonly kind: 'missing' | 'extra' | 'changed' | 'misplaced'
  readonly wanted?: Line | undefined
  readonly found?: Line | undefined
}

/** What has to be done to the rules of a chain to make them `target`, in the order of the chain. */
export function compareLines(live: readonly Line[], target: readonly Line[]): readonly LineChange[] {
  const changes: LineChange[] = []
  for (const { removed, inserted } of gapsBetween(live, target)) append(changes, pairUp(removed, inserted))
  return withMoves(changes)
}

interface Gap {
  readonly removed: readonly Line[]
  readonly inserted: readonly Line[]
}

function gapsBetween(live: readonly Line[], target: readonly Line[]): readonly Gap[] {
  let shift = 0
  return diffLists(textsOf(live), textsOf(target)).map(({ at, removed, inserted }) => {
    const start = at + shift
    shift += inserted.length - removed.length
    return {
      removed: live.slice(at, at + removed.length),
      inserted: target.slice(start, start + inserted.length),
    }
  })
}

function textsOf(lines: readonly Line[]): readonly string[] {
  return lines.map(({ text }) => text)
}

/** Each rule that should be there with the first that is there in its place and has half of it in common. */
function pairUp(removed: readonly Line[], inserted: readonly Line[]): readonly LineChange[] {
  const changes: LineChange[] = []
  let next = 0
  for (const wanted of inserted) {
    const distance = removed.slice(next, next + MAX_DISTANCE).findIndex((found) => isAlike(found, wanted))
    const at = next + distance
    if (distance < 0) {
      changes.push({ kind: 'missing', wanted })
      continue
    }
    changes.push(...removed.slice(next, at).map(extra), { kind: 'changed', wanted, found: removed[at] })
    next = at + 1
  }
  return [...changes, ...removed.slice(next).map(extra)]
}

/** How far to look: without a limit a chain of which everything changes takes the square of its length. */
const MAX_DISTANCE = 8

function extra(found: Line): LineChange {
  return { kind: 'extra', found }
}

/** Whether one rule was made of the other: with the same matches, or the same verdict for the same purpose. */
function isAlike(a: Line, b: Line): boolean {
  const [matches, verdict] = halves(a.text)
  const [otherMatches, otherVerdict] = halves(b.text)
  if (matches === otherMatches) return true
  return (
    verdict !== '' && verdict === otherVerdict && (isOfOne(verdict) || commentOf(matches) === commentOf(otherMatches))
  )
}

/** Whether no two service ports have rules with the verdict. */
function isOfOne(verdict: string): boolean {
  return /^ -[jg] (?:DNAT |KUBE-[A-Z]{2,3}-)/.test(verdict)
}

function commentOf(matches: string): string | undefined {
  return /--comment ("(?:[^"\\]|\\.)*"|\S+)/.exec(matches)?.[1]
}

/** The text before and from the verdict on. */
function halves(text: string): readonly [string, string] {
  const at = Math.max(text.lastIndexOf(' -j '), text.lastIndexOf(' -g '))
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

/** A rule that is missing here and too many there stands at another place. */
function withMoves(changes: readonly LineChange[]): readonly LineChange[] {
  const missing = new Map<string, number>()
  for (const { kind, wanted } of changes) if (kind === 'missing' && wanted) count(missing, wanted.text, 1)
  const moved = new Map<string, number>()
  const rest: LineChange[] = []
  for (const change of changes) {
    const text = change.kind === 'extra' ? (change.found?.text ?? '') : ''
    if ((missing.get(text) ?? 0) > (moved.get(text) ?? 0)) count(moved, text, 1)
    else rest.push(change)
  }
  return rest.map((change) => {
    const text = change.kind === 'missing' ? (change.wanted?.text ?? '') : ''
    if ((moved.get(text) ?? 0) === 0) return change
    count(moved, text, -1)
    return { kind: 'misplaced', wanted: change.wanted, found: change.wanted }
  })
}

function count(counts: Map<string, number>, text: string, by: number): void {
  counts.set(text, (counts.get(text) ?? 0) + by)
}
