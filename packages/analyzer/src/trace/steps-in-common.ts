import type { Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'

/** The lengths of the common prefix and, after it, the common suffix of steps of paths with equal outcome. */
export interface StepsInCommon {
  readonly beginning: number
  readonly end: number
}

/** The steps of a path and, if it represents several, their common steps. */
export type CommonSteps = readonly [steps: readonly Step[], inCommon: StepsInCommon | undefined]

/** Returns the common steps of two paths, or of all that they represent. */
export function stepsInCommon([steps, own]: CommonSteps, [others, their]: CommonSteps): StepsInCommon {
  const most = Math.min(steps.length, others.length)
  const beginning = lengthOfSame(most, (index) => isSameStep(steps[index], others[index]))
  const shared = Math.min(beginning, own?.beginning ?? beginning, their?.beginning ?? beginning)
  const end = lengthOfSame(most - shared, (index) => isSameStep(steps.at(-1 - index), others.at(-1 - index)))
  return { beginning: shared, end: Math.min(end, own?.end ?? end, their?.end ?? end) }
}

/** Reports whether two steps are the same rule at the same hook. */
export function isSameStep(a: Step | undefined, b: Step | undefined): boolean {
  return a?.hook === b?.hook && a?.by === b?.by && a?.text === b?.text
}

function lengthOfSame(most: number, isSame: (index: number) => boolean): number {
  let length = 0
  while (length < most && isSame(length)) length++
  return length
}
