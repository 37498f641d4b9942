import type { Difference } from '@kube-rules/analyzer/compare'
import type { View, ViewNode } from '@kube-rules/analyzer/view'

/** Marks only differences that lose packets as errors; `differences` has one item for each line of kind `differs`. */
export function markLosses(view: View, differences: readonly Difference[]): View {
  let index = 0
  return view.map((node): ViewNode => {
    if (node.kind === 'summary') return { ...node, severity: 'none' }
    const difference = node.kind === 'differs' ? differences[index++] : undefined
    return difference === undefined ? node : { ...node, severity: severityOf(difference) }
  })
}

function severityOf({ a, b }: Difference): ViewNode['severity'] {
  if (isServed(a) === isServed(b)) return 'none'
  return isServed(a) ? 'error' : 'ok'
}

function isServed({ paths }: Difference['a']): boolean {
  return paths.every(({ outcome }) => outcome.kind === 'delivered' || outcome.kind === 'proxy')
}
