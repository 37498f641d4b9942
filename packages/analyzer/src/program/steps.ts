import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'

/** A step on the path of a packet: a matching rule, or another cause that moved the packet on. */
export interface PathStep {
  /** The hook at which the step happens. */
  readonly hook: Hook
  /** The name of the hook handler, such as `iptables nat` or `ipvs`. */
  readonly table: string
  /** The chain; empty if the subsystem has no chains. */
  readonly chain: string
  /** The rule or virtual server in the format of its tool. */
  readonly text: string
  /**
   * The action in `text`: a chain, `DNAT --to-destination 10.244.1.1:80`, or a real server; empty if the step has no
   * action.
   */
  readonly target: string
  /** The chain that the step jumps to; empty if there is no jump. */
  readonly jumpsTo: string
  /** The address that the step changes; absent if the step changes no address. */
  readonly rewrites?: TranslatedField | undefined
  /** The comment in `text`; empty without a comment. */
  readonly comment: string
  /** The owner of the rule according to the state; empty for shared rules. */
  readonly servicePort: string
}

/** The address of a packet that a step changes. */
export type TranslatedField = 'destination' | 'source'

/** Creates a step on demand. Formatting the rule takes longer than tracing, and not every step is needed. */
export type StepFactory = (hook: Hook) => PathStep

/** The last step of a path, linked to the preceding steps. */
export type LinkedStep = OneStep | Section

interface OneStep {
  readonly step: StepFactory
  readonly hook: Hook
  readonly previous: LinkedStep | undefined
  /** The number of steps up to this one. */
  readonly count: number
}

/** The steps of a section of the path that several paths share. */
interface Section {
  readonly section: LinkedStep
  readonly previous: LinkedStep | undefined
  readonly count: number
}

/** Appends a step. */
export function appendStep(previous: LinkedStep | undefined, step: StepFactory, hook: Hook): LinkedStep {
  return { step, hook, previous, count: countSteps(previous) + 1 }
}

/** Appends a section to the steps of a path. */
export function appendSection(
  previous: LinkedStep | undefined,
  section: LinkedStep | undefined,
): LinkedStep | undefined {
  if (section === undefined) return previous
  return previous === undefined ? section : { section, previous, count: previous.count + section.count }
}

/** Returns the number of steps up to `last`. */
export function countSteps(last: LinkedStep | undefined): number {
  return last?.count ?? 0
}

/** Returns the steps in chronological order. */
export function stepsOf(last: LinkedStep | undefined): readonly PathStep[] {
  const steps: PathStep[] = []
  collectSteps(last, steps)
  return steps.reverse()
}

/** Appends the steps up to `last` to `steps`, in reverse order. */
function collectSteps(last: LinkedStep | undefined, steps: PathStep[]): void {
  for (let linked = last; linked !== undefined; linked = linked.previous) {
    if ('step' in linked) steps.push(linked.step(linked.hook))
    else collectSteps(linked.section, steps)
  }
}
