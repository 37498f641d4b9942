import { addFractions, formatFraction } from '@kube-rules/compiler/internal/internal/fraction'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { Assumption, PathState } from '../dataplane/netfilter/path-state.js'

/**
 * Merges path states with equal keys and assumptions, and adds their weights. The first merged path state, or the
 * result of `join`, represents them. If two paths differ only in the value of one assumption, the assumption is
 * removed. The path with the value false then represents both paths.
 */
export function mergePathStates<B extends PathState>(
  branches: readonly B[],
  keyOf: (branch: B) => string,
  join: (first: B, other: B) => B = (first) => first,
): readonly B[] {
  const [first, second] = branches
  if (first === undefined || second === undefined) return branches
  const merging = { keyOf, join }
  const sums = new Map<string, B>()
  for (const branch of branches) addUp(sums, branch, merging)
  if (branches.every(({ assumptions }) => assumptions.length === 0)) return [...sums.values()]
  const merged = new Map<string, B>()
  for (const branch of sums.values()) insert(merged, branch, merging)
  return [...merged.values()]
}

interface Merging<B> {
  readonly keyOf: (branch: B) => string
  readonly join: (first: B, other: B) => B
}

function addUp<B extends PathState>(sums: Map<string, B>, branch: B, { keyOf, join }: Merging<B>): void {
  const id = idOf(branch, branch.assumptions, keyOf)
  const same = sums.get(id)
  sums.set(
    id,
    same === undefined ? branch : { ...join(same, branch), weight: addFractions(same.weight, branch.weight) },
  )
}

/**
 * Inserts a path. If the map contains a path that differs only in the value of one assumption, the two paths are merged
 * without this assumption. The merged path is then inserted in the same way.
 */
function insert<B extends PathState>(merged: Map<string, B>, branch: B, merging: Merging<B>): void {
  for (let at = branch.assumptions.length - 1; at >= 0; at--) {
    const { condition, value } = elementAt(branch.assumptions, at)
    const [before, after] = [branch.assumptions.slice(0, at), branch.assumptions.slice(at + 1)]
    const opposite = idOf(branch, [...before, { condition, value: !value }, ...after], merging.keyOf)
    const counterpart = merged.get(opposite)
    if (counterpart === undefined || !sameWeight(branch, counterpart)) continue
    merged.delete(opposite)
    insert(merged, { ...(value ? counterpart : branch), assumptions: [...before, ...after] }, merging)
    return
  }
  addUp(merged, branch, merging)
}

function sameWeight(a: PathState, b: PathState): boolean {
  return a.weight.numerator === b.weight.numerator && a.weight.denominator === b.weight.denominator
}

function idOf<B extends PathState>(branch: B, assumptions: readonly Assumption[], keyOf: Merging<B>['keyOf']): string {
  if (assumptions.length === 0) return keyOf(branch)
  return [keyOf(branch), ...assumptions.map(({ condition, value }) => `${value} ${condition}`)].join('\n')
}

/**
 * Removes an assumption if both of its values give the same result under all other assumptions. The paths with the
 * value false then represent the paths with the value true.
 */
export function withoutUnneededAssumptions<B extends PathState>(
  branches: readonly B[],
  keyOf: (branch: B) => string,
): readonly B[] {
  if (branches.every(({ assumptions }) => assumptions.length === 0)) return branches
  let remaining = branches
  for (const what of openQuestions(branches)) {
    if (isUnneeded(what, remaining, keyOf)) remaining = remaining.flatMap((branch) => withoutAssumption(branch, what))
  }
  return remaining
}

/** Returns the conditions that some paths assume to be true and other paths assume to be false. */
function openQuestions(branches: readonly PathState[]): readonly string[] {
  const assumed = (holds: boolean) =>
    new Set(
      branches.flatMap(({ assumptions }) =>
        assumptions.flatMap((each) => (each.value === holds ? each.condition : [])),
      ),
    )
  const denied = assumed(false)
  return [...assumed(true)].filter((what) => denied.has(what))
}

function isUnneeded<B extends PathState>(what: string, branches: readonly B[], keyOf: (branch: B) => string): boolean {
  const ends = (holds: boolean) => {
    const side = branches.filter(({ assumptions }) =>
      assumptions.some((each) => each.condition === what && each.value === holds),
    )
    return side
      .map((branch) => endOf(branch, what, keyOf))
      .sort()
      .join('\n')
  }
  return ends(true) === ends(false)
}

/**
 * Returns a key for the result, the weight and the assumptions of a path, excluding the assumption about the condition
 * `what`.
 */
function endOf<B extends PathState>(branch: B, what: string, keyOf: (branch: B) => string): string {
  const others = branch.assumptions.filter((each) => each.condition !== what)
  return JSON.stringify([keyOf(branch), formatFraction(branch.weight), others])
}

function withoutAssumption<B extends PathState>(branch: B, what: string): readonly B[] {
  const assumption = branch.assumptions.find((each) => each.condition === what)
  if (assumption === undefined) return [branch]
  return assumption.value ? [] : [{ ...branch, assumptions: branch.assumptions.filter((each) => each !== assumption) }]
}
