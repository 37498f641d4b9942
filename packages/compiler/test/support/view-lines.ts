import type { View, ViewNode } from '../../../analyzer/src/view/view.js'

/** All nodes of a view, in the order of its lines. */
export function nodesOf(view: View): readonly ViewNode[] {
  return view.flatMap((node) => [node, ...nodesOf(node.children)])
}

/** A view in short: `kind severity label`, indented by depth, with `*` in front of branches. */
export function outline(view: View, depth = 0): readonly string[] {
  return view.flatMap(({ kind, severity, label, isBranch, children }) => [
    `${'  '.repeat(depth)}${isBranch ? '*' : ''}${kind}${severity === 'none' ? '' : ` ${severity}`}: ${label}`,
    ...outline(children, depth + 1),
  ])
}
