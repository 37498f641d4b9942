import { addFractions, type Fraction, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { type Assumption, includesAssumption } from './assumptions.js'
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

function addUp<P extends PathState>(sums: Map<string, P>, path: P, merging: Merging<P>): void {
  const id = idOf(path, path.assumptions, merging.keyOf)
  const same = sums.get(id)
  sums.set(id, same === undefined ? path : addWeight(same, path, merging))
}

/**
 * Inserts a path, or adds its weight to the same path. If the map contains a path that differs only in the value of one
 * assumption, the two paths are merged without this assumption. The merged path is then inserted in the same way.
 */
function insert<P extends PathState>(merged: Map<string, P>, added: P, merging: Merging<P>): void {
  const id = idOf(added, added.assumptions, merging.keyOf)
  const same = merged.get(id)
  const path = same === undefined ? added : addWeight(same, added, merging)
  for (let at = path.assumptions.length - 1; at >= 0; at--) {
    const { condition, value } = elementAt(path.assumptions, at)
    const [before, after] = [path.assumptions.slice(0, at), path.assumptions.slice(at + 1)]
    const opposite = idOf(path, [...before, { condition, value: !value }, ...after], merging.keyOf)
    const counterpart = merged.get(opposite)
    if (counterpart === undefined || !sameWeight(path, counterpart)) continue
    merged.delete(id)
    merged.delete(opposite)
    insert(merged, { ...(value ? counterpart : path), assumptions: [...before, ...after] }, merging)
    return
  }
  merged.set(id, path)
}

function addWeight<P extends PathState>(same: P, added: P, { join }: Merging<P>): P {
  return { ...join(same, added), weight: addFractions(same.weight, added.weight) }
}

function sameWeight(a: PathState, b: PathState): boolean {
  return a.weight.numerator === b.weight.numerator && a.weight.denominator === b.weight.denominator
}

function idOf<P extends PathState>(path: P, assumptions: readonly Assumption[], keyOf: Merging<P>['keyOf']): string {
  if (assumptions.length === 0) return keyOf(path)
  return [keyOf(path), ...assumptions.map(({ condition, value }) => `${value} ${condition}`)].join('\n')
}

/**
 * Removes an assumption if both of its values give the same results, whatever the values of the other conditions. The
 * paths with the value false then represent the paths with the value true.
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

/** Up to this number of conditions, all combinations of their values are tried. */
const MAX_CONDITIONS = 5

function isUnneeded<P extends PathState>(what: string, paths: readonly P[], keyOf: (path: P) => string): boolean {
  const conditions = new Set(paths.flatMap(({ assumptions }) => assumptions.map(({ condition }) => condition)))
  if (conditions.size > MAX_CONDITIONS) return haveSamePaths(what, paths, keyOf)
  conditions.delete(what)
  const endsWith = (assumptions: readonly Assumption[]) => resultsOf(paths, assumptions, keyOf)
  return combinationsOf([...conditions]).every(
    (others) =>
      endsWith([...others, { condition: what, value: true }]) ===
      endsWith([...others, { condition: what, value: false }]),
  )
}

/** Returns each combination of values of conditions. */
function combinationsOf(conditions: readonly string[]): readonly (readonly Assumption[])[] {
  return conditions.reduce<readonly (readonly Assumption[])[]>(
    (known, condition) => known.flatMap((each) => [true, false].map((value) => [...each, { condition, value }])),
    [[]],
  )
}

/** Formats the results of the paths with the given values of all conditions, with the sum of their weights. */
function resultsOf<P extends PathState>(
  paths: readonly P[],
  values: readonly Assumption[],
  keyOf: (path: P) => string,
): string {
  const sums = new Map<string, Fraction>()
  for (const path of paths) {
    if (!path.assumptions.every((each) => includesAssumption(values, each))) continue
    const key = keyOf(path)
    const sum = sums.get(key)
    sums.set(key, sum === undefined ? path.weight : addFractions(sum, path.weight))
  }
  return Array.from(sums, ([key, sum]) => `${formatFraction(sum)} ${key}`)
    .sort()
    .join('\n')
}

/** Reports whether there are the same paths with both values of a condition. */
function haveSamePaths<P extends PathState>(what: string, paths: readonly P[], keyOf: (path: P) => string): boolean {
  const ends = (holds: boolean) =>
    paths
      .filter(({ assumptions }) => includesAssumption(assumptions, { condition: what, value: holds }))
      .map((path) => endOf(path, what, keyOf))
      .sort()
      .join('\n')
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
