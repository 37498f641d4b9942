import { checkView } from '../arguments/check-results.js'
import { VIEW_KINDS, type View, type ViewKind, type ViewNode } from './view.js'

/** The layout of a line relative to the preceding one. */
interface Layout {
  /** The prefix of the line and of its child lines. */
  readonly indent: string
  /** Whether an empty line precedes each top-level line of this kind, except for the first line of the output. */
  readonly isApart: boolean
}

const PLAIN: Layout = { indent: '', isApart: false }
const APART: Layout = { indent: '', isApart: true }
/** The layout of the lines below a numbered step: aligned with the text after the number. */
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
  diagnosis: PLAIN,
  cause: PLAIN,
  steps: PLAIN,
  action: INDENTED,
  command: STEP_DETAIL,
  trial: STEP_DETAIL,
  impact: STEP_DETAIL,
  rule: PLAIN,
  caveat: PLAIN,
  comparedWith: PLAIN,
  servicePort: APART,
  drift: INDENTED,
  found: INDENTED,
  expected: INDENTED,
  verdict: APART,
  unverified: PLAIN,
  leftAlone: PLAIN,
  differs: APART,
  inconclusive: APART,
  contested: APART,
  occupied: INDENTED,
  side: INDENTED,
  versionCause: INDENTED,
  rejectionReason: INDENTED,
  summary: APART,
  expectedDifferences: PLAIN,
  notCompared: PLAIN,
}

/** Prints a view in complete lines, one per view node, like the command. Forks are drawn as a tree. */
export function printView(view: View): string {
  checkView('view', view, VIEW_KINDS)
  const lines = view.flatMap((node, index) => [
    ...(index > 0 && LAYOUTS[node.kind].isApart ? [''] : []),
    ...linesOf(node).map((line) => LAYOUTS[node.kind].indent + line),
  ])
  return lines.map((line) => `${line}\n`).join('')
}

function linesOf({ label, children }: ViewNode): readonly string[] {
  const last = children.filter(({ isBranch }) => isBranch).at(-1)
  const below = children.flatMap((child) => linesBelow(child, child === last))
  // A node without a label has no line of its own. Its first child is printed in its place.
  return label === '' && below.length > 0 ? below : [label, ...below]
}

function linesBelow(node: ViewNode, isLast: boolean): readonly string[] {
  const lines = linesOf(node)
  if (!node.isBranch) return lines.map((line) => LAYOUTS[node.kind].indent + line)
  const [first = '', ...rest] = lines
  const [start, below] = isLast ? ['└─', '  '] : ['├─', '│ ']
  return [`${start} ${first}`, ...rest.map((line) => `${below} ${line}`)]
}
