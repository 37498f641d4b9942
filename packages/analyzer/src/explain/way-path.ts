import type { Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { isSameStep } from '../trace/steps-in-common.js'
import type { Way } from '../trace/trace-ways.js'

/** A way as it is drawn: the steps of it that lead somewhere. */
export interface WayPath {
  readonly way: Way
  /** Of a way that stands for several, what all of those have in common at their beginning; else all of it. */
  readonly beginning: readonly Step[]
  /** What several have in common at their end; undefined where the way stands for itself alone. */
  readonly end: readonly Step[] | undefined
}

export function wayPath(way: Way): WayPath {
  const { steps, inCommon } = way
  const leading = leadingSteps(steps)
  const stepsOf = (places: readonly Place[]) => places.map(({ step }) => step)
  if (inCommon === undefined || inCommon.beginning === steps.length) {
    return { way, beginning: stepsOf(leading), end: undefined }
  }
  const endFrom = steps.length - inCommon.end
  return {
    way,
    beginning: stepsOf(leading.filter(({ index }) => index < inCommon.beginning)),
    end: stepsOf(leading.filter(({ index }) => index >= endFrom)),
  }
}

/** The path without the first steps of its beginning. */
export function withoutFirst(path: WayPath, length: number): WayPath {
  return { ...path, beginning: path.beginning.slice(length) }
}

/** How many steps the lists have in common at their beginning. */
export function sharedLength([first = [], ...others]: readonly (readonly Step[])[]): number {
  const differs = first.findIndex((step, index) => others.some((steps) => !isSameStep(steps[index], step)))
  return differs < 0 ? first.length : differs
}

/** A step, and where it stands among all of its way. */
interface Place {
  readonly step: Step
  readonly index: number
}

/** Without returns, rules that only count, and jumps to chains in which nothing else happened. */
function leadingSteps(steps: readonly Step[]): readonly Place[] {
  const leading: Place[] = []
  for (const [index, step] of [...steps.entries()].reverse()) {
    const cameBack = step.verdict === '' || step.verdict === 'RETURN'
    if (!cameBack && (step.jumpsTo === '' || isEntered(step, leading.at(-1)?.step))) leading.push({ step, index })
  }
  return leading.reverse()
}

function isEntered({ jumpsTo, hook, by }: Step, next: Step | undefined): boolean {
  return next?.chain === jumpsTo && next.hook === hook && next.by === by
}
