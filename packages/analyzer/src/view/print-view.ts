import type { View, ViewKind, ViewNode } from './view.js'

/** How a line stands to the one above it. */
interface Layout {
  /** What stands in front of it, and of all that is below it. */
  readonly indent: string
  /** Among the first lines of a view: behind an empty line, but for the very first. */
  readonly isApart: boolean
}

const PLAIN: Layout = { indent: '', isApart: false }
const APART: Layout = { indent: '', isApart: true }
/** Aligned with the text after the number of a step. */
const STEP_DETAIL: Layout = { indent: '   ', isApart: false }
const INDENTED: Layout = { indent: '  ', isApart: false }

const LAYOUTS: Readonly<Record<ViewKind, Layout>> = {
  packet: PLAIN,
  owner: PLAIN,
  reason: PLAIN,
  difference: PLAIN,
  step: PLAIN,
  fork: PLAIN,
  outcome: PLAIN,
  heading: PLAIN,
  frontend: PLAIN,
  answer: PLAIN,
  why: PLAIN,
  steps: PLAIN,
  action: INDENTED,
  command: STEP_DETAIL,
  impact: STEP_DETAIL,
  rule: PLAIN,
  doubt: PLAIN,
  comparedWith: PLAIN,
  servicePort: APART,
  drift: INDENTED,
  found: INDENTED,
  wanted: INDENTED,
  verdict: APART,
  unverified: PLAIN,
  leftAlone: PLAIN,
  differs: APART,
  undecided: APART,
  side: INDENTED,
  summary: APART,
  declared: PLAIN,
}

/** A view as text of whole lines, one for each node, as the command prints it; forks are drawn as a tree. */
export function printView(view: View): string {
  const lines = view.flatMap((node, index) => [
    ...(index > 0 && LAYOUTS[node.kind].isApart ? [''] : []),
    ...linesOf(node).map((line) => LAYOUTS[node.kind].indent + line),
  ])
  return lines.map((line) => `${line}\n`).join('')
}

function linesOf({ label, children }: ViewNode): readonly string[] {
  const last = children.filter(({ isBranch }) => isBranch).at(-1)
  const below = children.flatMap((child) => linesBelow(child, child === last))
  // A fork that nothing is said of stands in the line of the first way.
  return label === '' && below.length > 0 ? below : [label, ...below]
}

function linesBelow(node: ViewNode, isLast: boolean): readonly string[] {
  const lines = linesOf(node)
  if (!node.isBranch) return lines.map((line) => LAYOUTS[node.kind].indent + line)
  const [first = '', ...rest] = lines
  const [start, below] = isLast ? ['└─', '  '] : ['├─', '│ ']
  return [`${start} ${first}`, ...rest.map((line) => `${below} ${line}`)]
}
