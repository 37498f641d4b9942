import type { Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'

/** Of ways that end alike: how many steps all of them have in common at their beginning, and behind that at their end. */
export interface StepsInCommon {
  readonly beginning: number
  readonly end: number
}

/** The steps of a way, and where it stands for several what those have in common. */
export type CommonSteps = readonly [steps: readonly Step[], inCommon: StepsInCommon | undefined]

/** What two ways, or all those that they stand for, have in common. */
export function stepsInCommon([steps, own]: CommonSteps, [others, their]: CommonSteps): StepsInCommon {
  const most = Math.min(steps.length, others.length)
  const beginning = lengthOfSame(most, (index) => isSameStep(steps[index], others[index]))
  const shared = Math.min(beginning, own?.beginning ?? beginning, their?.beginning ?? beginning)
  const end = lengthOfSame(most - shared, (index) => isSameStep(steps.at(-1 - index), others.at(-1 - index)))
  return { beginning: shared, end: Math.min(end, own?.end ?? end, their?.end ?? end) }
}

/** Whether one rule applied at one hook. */
export function isSameStep(a: Step | undefined, b: Step | undefined): boolean {
  return a?.hook === b?.hook && a?.by === b?.by && a?.text === b?.text
}

function lengthOfSame(most: number, isSame: (index: number) => boolean): number {
  let length = 0
  while (length < most && isSame(length)) length++
  return length
}
