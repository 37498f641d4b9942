import type { PathState } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import { formatFraction } from '@kube-rules/compiler/internal/internal/fraction'

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
