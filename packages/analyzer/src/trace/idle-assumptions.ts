import type { Branch } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { fractionText } from '@kube-rules/compiler/internal/internal/fraction'

/**
 * The branches without what they assume to no effect: with it and without it they come to the same, whatever else they
 * assume. Those on which it does not hold stand for both.
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

/** What some assume to hold, and others not to. */
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

/** What a branch comes to, and all else that it assumes. */
function endOf<B extends Branch>(branch: B, what: string, keyOf: (branch: B) => string): string {
  const others = branch.assumptions.filter((each) => each.what !== what)
  return JSON.stringify([keyOf(branch), fractionText(branch.weight), others])
}

function withoutAssumption<B extends Branch>(branch: B, what: string): readonly B[] {
  const assumption = branch.assumptions.find((each) => each.what === what)
  if (assumption === undefined) return [branch]
  return assumption.holds ? [] : [{ ...branch, assumptions: branch.assumptions.filter((each) => each !== assumption) }]
}
