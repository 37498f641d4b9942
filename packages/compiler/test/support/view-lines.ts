import type { View, ViewNode } from '../../../analyzer/src/view/view.js'

/** Returns all nodes of a view, in line order. */
export function nodesOf(view: View): readonly ViewNode[] {
  return view.flatMap((node) => [node, ...nodesOf(node.children)])
}

/** Summarizes a view: `kind severity label`, indented by depth, with `*` before branches. */
export function outline(view: View, depth = 0): readonly string[] {
  return view.flatMap(({ kind, severity, label, isBranch, children }) => [
    `${'  '.repeat(depth)}${isBranch ? '*' : ''}${kind}${severity === 'none' ? '' : ` ${severity}`}: ${label}`,
    ...outline(children, depth + 1),
  ])
}
