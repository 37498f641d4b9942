import type { Difference } from '@kube-rules/analyzer/compare'
import type { View, ViewNode } from '@kube-rules/analyzer/view'

/** A line about packets, and the difference that it describes, if it describes one. */
export interface TrafficLine {
  readonly node: ViewNode
  readonly difference?: Difference | undefined
}

/** Marks only differences that lose packets as errors; `differences` has one item for each line of kind `differs`. */
export function markLosses(view: View, differences: readonly Difference[]): readonly TrafficLine[] {
  let index = 0
  return view.map((node): TrafficLine => {
    if (node.kind === 'summary') return { node: { ...node, severity: 'none' } }
    const difference = node.kind === 'differs' ? differences[index++] : undefined
    return difference === undefined ? { node } : { node: { ...node, severity: severityOf(difference) }, difference }
  })
}

function severityOf({ a, b }: Difference): ViewNode['severity'] {
  if (isServed(a) === isServed(b)) return 'none'
  return isServed(a) ? 'error' : 'ok'
}

function isServed({ paths }: Difference['a']): boolean {
  return paths.every(({ outcome }) => outcome.kind === 'delivered' || outcome.kind === 'proxy')
}
