import type { View, ViewNode } from '@kube-rules/analyzer/view'

/** The first lines of a view, and the number of omitted lines. */
export interface TruncatedView {
  readonly view: View
  readonly left: number
}

/** Truncates a view to a maximum number of lines. The text of the report is not truncated. */
export function truncateView(view: View, most: number): TruncatedView {
  const budget = { left: most }
  const kept = firstOf(view, budget)
  return { view: kept, left: linesIn(view) - linesIn(kept) }
}

function firstOf(view: View, budget: { left: number }): View {
  const kept: ViewNode[] = []
  for (const node of view) {
    if (budget.left <= 0) break
    budget.left--
    kept.push({ ...node, children: firstOf(node.children, budget) })
  }
  return kept
}

function linesIn(view: View): number {
  return view.reduce((sum, { children }) => sum + 1 + linesIn(children), 0)
}
