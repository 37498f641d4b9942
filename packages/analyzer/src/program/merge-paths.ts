import { addFractions, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { Assumption } from './assumptions.js'
import type { PathState } from './path-state.js'

/**
 * Merges path states with equal keys and assumptions, and adds their weights. The first merged path state, or the
 * result of `join`, represents them. If two paths differ only in the value of one assumption, the assumption is
 * removed. The path with the value false then represents both paths.
 */
export function mergePathStates<P extends PathState>(
  paths: readonly P[],
  keyOf: (path: P) => string,
  join: (first: P, other: P) => P = (first) => first,
): readonly P[] {
  const [first, second] = paths
  if (first === undefined || second === undefined) return paths
  const merging = { keyOf, join }
  const sums = new Map<string, P>()
  for (const path of paths) addUp(sums, path, merging)
  if (paths.every(({ assumptions }) => assumptions.length === 0)) return [...sums.values()]
  const merged = new Map<string, P>()
  for (const path of sums.values()) insert(merged, path, merging)
  return [...merged.values()]
}

interface Merging<P> {
  readonly keyOf: (path: P) => string
  readonly join: (first: P, other: P) => P
}

function addUp<P extends PathState>(sums: Map<string, P>, path: P, { keyOf, join }: Merging<P>): void {
  const id = idOf(path, path.assumptions, keyOf)
  const same = sums.get(id)
  sums.set(id, same === undefined ? path : { ...join(same, path), weight: addFractions(same.weight, path.weight) })
}

/**
 * Inserts a path. If the map contains a path that differs only in the value of one assumption, the two paths are merged
 * without this assumption. The merged path is then inserted in the same way.
 */
function insert<P extends PathState>(merged: Map<string, P>, path: P, merging: Merging<P>): void {
  for (let at = path.assumptions.length - 1; at >= 0; at--) {
    const { condition, value } = elementAt(path.assumptions, at)
    const [before, after] = [path.assumptions.slice(0, at), path.assumptions.slice(at + 1)]
    const opposite = idOf(path, [...before, { condition, value: !value }, ...after], merging.keyOf)
    const counterpart = merged.get(opposite)
    if (counterpart === undefined || !sameWeight(path, counterpart)) continue
    merged.delete(opposite)
    insert(merged, { ...(value ? counterpart : path), assumptions: [...before, ...after] }, merging)
    return
  }
  addUp(merged, path, merging)
}

function sameWeight(a: PathState, b: PathState): boolean {
  return a.weight.numerator === b.weight.numerator && a.weight.denominator === b.weight.denominator
}

function idOf<P extends PathState>(path: P, assumptions: readonly Assumption[], keyOf: Merging<P>['keyOf']): string {
  if (assumptions.length === 0) return keyOf(path)
  return [keyOf(path), ...assumptions.map(({ condition, value }) => `${value} ${condition}`)].join('\n')
}

/**
 * Removes an assumption if both of its values give the same result under all other assumptions. The paths with the
 * value false then represent the paths with the value true.
 */
export function withoutUnneededAssumptions<P extends PathState>(
  paths: readonly P[],
  keyOf: (path: P) => string,
): readonly P[] {
  if (paths.every(({ assumptions }) => assumptions.length === 0)) return paths
  let remaining = paths
  for (const what of openQuestions(paths)) {
    if (isUnneeded(what, remaining, keyOf)) remaining = remaining.flatMap((path) => withoutAssumption(path, what))
  }
  return remaining
}

/** Returns the conditions that some paths assume to be true and other paths assume to be false. */
function openQuestions(paths: readonly PathState[]): readonly string[] {
  const assumed = (holds: boolean) =>
    new Set(
      paths.flatMap(({ assumptions }) => assumptions.flatMap((each) => (each.value === holds ? each.condition : []))),
    )
  const denied = assumed(false)
  return [...assumed(true)].filter((what) => denied.has(what))
}

function isUnneeded<P extends PathState>(what: string, paths: readonly P[], keyOf: (path: P) => string): boolean {
  const ends = (holds: boolean) => {
    const side = paths.filter(({ assumptions }) =>
      assumptions.some((each) => each.condition === what && each.value === holds),
    )
    return side
      .map((path) => endOf(path, what, keyOf))
      .sort()
      .join('\n')
  }
  return ends(true) === ends(false)
}

/**
 * Returns a key for the result, the weight and the assumptions of a path, excluding the assumption about the condition
 * `what`.
 */
function endOf<P extends PathState>(path: P, what: string, keyOf: (path: P) => string): string {
  const others = path.assumptions.filter((each) => each.condition !== what)
  return JSON.stringify([keyOf(path), formatFraction(path.weight), others])
}

function withoutAssumption<P extends PathState>(path: P, what: string): readonly P[] {
  const assumption = path.assumptions.find((each) => each.condition === what)
  if (assumption === undefined) return [path]
  return assumption.value ? [] : [{ ...path, assumptions: path.assumptions.filter((each) => each !== assumption) }]
}
