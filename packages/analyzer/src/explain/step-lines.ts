import type { Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'

/** One line about the steps in one table or other hook handler, with the steps. */
export interface StepLine {
  /** `PREROUTING nat: KUBE-SERVICES > KUBE-SVC-… > DNAT --to-destination …`. */
  readonly text: string
  readonly steps: readonly Step[]
}

/** Returns one line per table or other hook handler. */
export function stepLines(steps: readonly Step[]): readonly StepLine[] {
  return byStation(steps).map((group) => ({ text: stationLine(group), steps: group }))
}

/** The steps at one table or other hook handler; at least one. */
type StationSteps = [Step, ...Step[]]

function byStation(steps: readonly Step[]): readonly StationSteps[] {
  const groups: StationSteps[] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last !== undefined && last[0].hook === step.hook && last[0].by === step.by) last.push(step)
    else groups.push([step])
  }
  return groups
}

function stationLine(steps: StationSteps): string {
  const [{ hook, by }] = steps
  const name = `${hook} ${by.replace('iptables ', '')}:`
  return steps.reduce((line, step, index) => line + connection(step, steps[index - 1]) + step.verdict, name)
}

/**
 * Returns the text between two steps. After a jump, the next rule is in the referenced chain; in any other case its
 * chain is printed.
 */
function connection({ hook, chain }: Step, before: Step | undefined): string {
  if (before === undefined) return chain === hook || chain === '' ? ' ' : ` ${chain} > `
  if (chain === '' || before.jumpsTo === chain) return ' > '
  return `, ${chain} > `
}
