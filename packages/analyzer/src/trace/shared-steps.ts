import type { PathStep } from '../program/steps.js'

/**
 * The number of common steps of several paths with the same outcome: the length of their common prefix and of the
 * common suffix after it.
 */
export interface SharedSteps {
  readonly prefix: number
  readonly suffix: number
}

/**
 * The steps of a path, with the common steps of all represented paths. The second item is undefined if the path
 * represents only itself.
 */
export type PathSteps = readonly [steps: readonly PathStep[], inCommon: SharedSteps | undefined]

/**
 * Returns the number of steps in the common prefix and suffix of two paths. If a path represents several paths, only
 * the steps that these paths have in common count.
 */
export function findSharedSteps([steps, own]: PathSteps, [others, their]: PathSteps): SharedSteps {
  const most = Math.min(steps.length, others.length)
  const beginning = lengthOfSame(most, (index) => areStepsEqual(steps[index], others[index]))
  const shared = Math.min(beginning, own?.prefix ?? beginning, their?.prefix ?? beginning)
  const end = lengthOfSame(most - shared, (index) => areStepsEqual(steps.at(-1 - index), others.at(-1 - index)))
  return { prefix: shared, suffix: Math.min(end, own?.suffix ?? end, their?.suffix ?? end) }
}

/** Reports whether two steps are the same rule at the same hook. */
export function areStepsEqual(a: PathStep | undefined, b: PathStep | undefined): boolean {
  return a?.hook === b?.hook && a?.table === b?.table && a?.text === b?.text
}

function lengthOfSame(most: number, isSame: (index: number) => boolean): number {
  let length = 0
  while (length < most && isSame(length)) length++
  return length
}
