import type { PathState } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import { formatFraction } from '@kube-rules/compiler/internal/internal/fraction'

/**
 * Removes an assumption if both values have the same result under all further assumptions. The paths with the value
 * false represent both.
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

/** Returns the conditions that are true on one path and false on another one. */
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

/** Returns a key of the result of a path and its remaining assumptions. */
function endOf<B extends PathState>(branch: B, what: string, keyOf: (branch: B) => string): string {
  const others = branch.assumptions.filter((each) => each.condition !== what)
  return JSON.stringify([keyOf(branch), formatFraction(branch.weight), others])
}

function withoutAssumption<B extends PathState>(branch: B, what: string): readonly B[] {
  const assumption = branch.assumptions.find((each) => each.condition === what)
  if (assumption === undefined) return [branch]
  return assumption.value ? [] : [{ ...branch, assumptions: branch.assumptions.filter((each) => each !== assumption) }]
}
