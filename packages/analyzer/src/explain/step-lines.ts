import type { Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'

/** What happens in one table or at another station, in one line, and the steps it is told of. */
export interface StepLine {
  /** `PREROUTING nat: KUBE-SERVICES > KUBE-SVC-… > DNAT --to-destination …`. */
  readonly text: string
  readonly steps: readonly Step[]
}

/** One line for each table or other station. */
export function stepLines(steps: readonly Step[]): readonly StepLine[] {
  return byStation(steps).map((group) => ({ text: stationLine(group), steps: group }))
}

/** The steps of one table or other station, one at least. */
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

/** Behind a jump the next rule stands in the chain it leads to; otherwise its chain is said. */
function connection({ hook, chain }: Step, before: Step | undefined): string {
  if (before === undefined) return chain === hook || chain === '' ? ' ' : ` ${chain} > `
  if (chain === '' || before.jumpsTo === chain) return ' > '
  return `, ${chain} > `
}
