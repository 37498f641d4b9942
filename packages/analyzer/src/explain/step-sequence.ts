import type { PathStep } from '../program/steps.js'
import { areStepsEqual } from '../trace/shared-steps.js'
import type { TracePath } from '../trace/trace-paths.js'

/** A path for display, reduced to its significant steps. */
export interface StepSequence {
  readonly path: TracePath
  /**
   * The significant steps at the start that all represented paths have in common. If the path represents only itself,
   * these are all its significant steps.
   */
  readonly sharedPrefix: readonly PathStep[]
  /**
   * The significant steps at the end that all represented paths have in common. Undefined if the path represents only
   * itself.
   */
  readonly end: readonly PathStep[] | undefined
}

export function createStepSequence(path: TracePath): StepSequence {
  const { steps, sharedSteps } = path
  const leading = leadingSteps(steps)
  const stepsOf = (places: readonly Place[]) => places.map(({ step }) => step)
  if (sharedSteps === undefined || sharedSteps.prefix === steps.length) {
    return { path, sharedPrefix: stepsOf(leading), end: undefined }
  }
  const endFrom = steps.length - sharedSteps.suffix
  return {
    path,
    sharedPrefix: stepsOf(leading.filter(({ index }) => index < sharedSteps.prefix)),
    end: stepsOf(leading.filter(({ index }) => index >= endFrom)),
  }
}

/** Removes the first steps of a path. */
export function dropSharedSteps(path: StepSequence, length: number): StepSequence {
  return { ...path, sharedPrefix: path.sharedPrefix.slice(length) }
}

/** Returns the length of the common prefix of lists of steps. */
export function countCommonFirstSteps([first = [], ...others]: readonly (readonly PathStep[])[]): number {
  const differs = first.findIndex((step, index) => others.some((steps) => !areStepsEqual(steps[index], step)))
  return differs < 0 ? first.length : differs
}

/** A step with its index in the path. */
interface Place {
  readonly step: PathStep
  readonly index: number
}

/**
 * Returns the significant steps. Omits returns, rules that only count, and jumps to a chain without a further
 * significant step.
 */
function leadingSteps(steps: readonly PathStep[]): readonly Place[] {
  const leading: Place[] = []
  for (const [index, step] of [...steps.entries()].reverse()) {
    const cameBack = step.target === '' || step.target === 'RETURN'
    if (!cameBack && (step.jumpsTo === '' || isEntered(step, leading.at(-1)?.step))) leading.push({ step, index })
  }
  return leading.reverse()
}

function isEntered({ jumpsTo, hook, table }: PathStep, next: PathStep | undefined): boolean {
  return next?.chain === jumpsTo && next.hook === hook && next.table === table
}
