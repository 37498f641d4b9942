import type { Branch } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { fractionText } from '@kube-rules/compiler/internal/internal/fraction'

/**
 * Removes assumptions without effect: both values have the same result, for all further assumptions. The paths with the
 * value false represent both.
 */
export function withoutIdleAssumptions<B extends Branch>(
  branches: readonly B[],
  keyOf: (branch: B) => string,
): readonly B[] {
  if (branches.every(({ assumptions }) => assumptions.length === 0)) return branches
  let left = branches
  for (const what of openQuestions(branches)) {
    if (isIdle(what, left, keyOf)) left = left.flatMap((branch) => withoutAssumption(branch, what))
  }
  return left
}

/** Returns the conditions with both values among the paths. */
function openQuestions(branches: readonly Branch[]): readonly string[] {
  const assumed = (holds: boolean) =>
    new Set(
      branches.flatMap(({ assumptions }) => assumptions.flatMap((each) => (each.holds === holds ? each.what : []))),
    )
  const denied = assumed(false)
  return [...assumed(true)].filter((what) => denied.has(what))
}

function isIdle<B extends Branch>(what: string, branches: readonly B[], keyOf: (branch: B) => string): boolean {
  const ends = (holds: boolean) => {
    const side = branches.filter(({ assumptions }) =>
      assumptions.some((each) => each.what === what && each.holds === holds),
    )
    return side
      .map((branch) => endOf(branch, what, keyOf))
      .sort()
      .join('\n')
  }
  return ends(true) === ends(false)
}

/** Returns a key of the result of a path and its remaining assumptions. */
function endOf<B extends Branch>(branch: B, what: string, keyOf: (branch: B) => string): string {
  const others = branch.assumptions.filter((each) => each.what !== what)
  return JSON.stringify([keyOf(branch), fractionText(branch.weight), others])
}

function withoutAssumption<B extends Branch>(branch: B, what: string): readonly B[] {
  const assumption = branch.assumptions.find((each) => each.what === what)
  if (assumption === undefined) return [branch]
  return assumption.holds ? [] : [{ ...branch, assumptions: branch.assumptions.filter((each) => each !== assumption) }]
}
