import type { PathStep } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

/** One line about the steps in one table or other hook handler, with the steps. */
export interface StepLine {
  /** `PREROUTING nat: KUBE-SERVICES > KUBE-SVC-… > DNAT --to-destination …`. */
  readonly text: string
  readonly steps: readonly PathStep[]
}

/** Returns one line per table or other hook handler that the steps pass. */
export function createStepLines(steps: readonly PathStep[]): readonly StepLine[] {
  return byHookHandler(steps).map((group) => ({ text: hookHandlerLine(group), steps: group }))
}

/** The steps at one table or other hook handler; at least one. */
type HookHandlerSteps = [PathStep, ...PathStep[]]

function byHookHandler(steps: readonly PathStep[]): readonly HookHandlerSteps[] {
  const groups: HookHandlerSteps[] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last !== undefined && last[0].hook === step.hook && last[0].table === step.table) last.push(step)
    else groups.push([step])
  }
  return groups
}

function hookHandlerLine(steps: HookHandlerSteps): string {
  const [{ hook, table }] = steps
  const name = `${hook} ${table.replace('iptables ', '')}:`
  return steps.reduce((line, step, index) => line + connection(step, steps[index - 1]) + step.target, name)
}

/**
 * Returns the text between the steps `before` and the given step. The chain of the given step is omitted if `before`
 * jumps to it.
 */
function connection({ hook, chain }: PathStep, before: PathStep | undefined): string {
  if (before === undefined) return chain === hook || chain === '' ? ' ' : ` ${chain} > `
  if (chain === '' || before.jumpsTo === chain) return ' > '
  return `, ${chain} > `
}
