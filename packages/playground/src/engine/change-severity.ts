import type { Difference } from '@kube-rules/analyzer/compare'
import type { View, ViewNode } from '@kube-rules/analyzer/view'

/** A line of the view of changed traffic. If the line describes a difference, `difference` is this difference. */
export interface TrafficLine {
  readonly node: ViewNode
  readonly difference?: Difference | undefined
}

/**
 * Returns the lines of a view with severities: a difference is an error only if it loses packets. `differences` has one
 * item for each line of the kind `differs`.
 */
export function markTrafficLosses(view: View, differences: readonly Difference[]): readonly TrafficLine[] {
  let index = 0
  return view.map((node): TrafficLine => {
    if (node.kind === 'summary') return { node: { ...node, severity: 'none' } }
    const difference = node.kind === 'differs' ? differences[index++] : undefined
    return difference === undefined
      ? { node }
      : { node: { ...withoutCount(node), severity: severityOfDifference(difference) }, difference }
  })
}

/** Removes the number of packet classes from a line, because the page does not list the classes. */
function withoutCount(node: ViewNode): ViewNode {
  return { ...node, label: node.label.replace(/, \d+ classes$/, '') }
}

/** Returns `error` for packets that are lost more often, and `ok` for packets that reach an endpoint more often. */
export function severityOfDifference({ a, b }: Difference): ViewNode['severity'] {
  const gain = servedPart(b) - servedPart(a)
  if (gain === 0) return 'none'
  return gain < 0 ? 'error' : 'ok'
}

/** Returns 1 if all paths reach an endpoint, 0 if no path does, otherwise 0.5. */
function servedPart({ paths }: Difference['a']): number {
  const isServed = paths.map(({ outcome }) => outcome.kind === 'delivered' || outcome.kind === 'proxy')
  if (isServed.every(Boolean)) return 1
  return isServed.some(Boolean) ? 0.5 : 0
}
