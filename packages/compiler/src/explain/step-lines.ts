import type { Step } from '../dataplane/netfilter/branch.js'

/** One line for each table or other station: `PREROUTING nat: KUBE-SERVICES > KUBE-SVC-… > DNAT --to-destination …`. */
export function stepLines(steps: readonly Step[]): readonly string[] {
  return stations(steps).map(stationLine)
}

/** The steps of one table or other station, one at least. */
type Station = [Step, ...Step[]]

function stations(steps: readonly Step[]): readonly Station[] {
  const groups: Station[] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last !== undefined && last[0].hook === step.hook && last[0].by === step.by) last.push(step)
    else groups.push([step])
  }
  return groups
}

function stationLine(steps: Station): string {
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
