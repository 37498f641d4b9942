import { escapeControls } from '@kube-rules/types'
import type { View, ViewKind, ViewNode } from './view.js'

/** A node that has no id yet, and whose words may hold anything. */
export interface Draft extends Omit<ViewNode, 'id' | 'children'> {
  readonly children: readonly Draft[]
}

/** A line of this kind, of which nothing else is known but what `more` says. */
export function draft(kind: ViewKind, label: string, more: Partial<Draft> = {}): Draft {
  return { kind, label, severity: 'none', isBranch: false, objects: [], rules: [], children: [], ...more }
}

/** The view of these drafts, with ids, and with words that keep to their line. What is not known is absent. */
export function viewOf(drafts: readonly Draft[], parent = ''): View {
  return drafts.map((node, index) => {
    const { kind, label, severity, isBranch, share, servicePort, cells, objects, rules, children } = node
    const id = `${parent}${index}`
    return {
      id,
      kind,
      label: escapeControls(label),
      severity,
      isBranch,
      ...(share !== undefined && { share }),
      ...(servicePort !== undefined && servicePort !== '' && { servicePort }),
      ...(cells !== undefined && { cells: cells.map(escapeControls) }),
      objects,
      rules,
      children: viewOf(children, `${id}.`),
    }
  })
}

/** Several views as one, with ids that tell their nodes apart. */
export function joinViews(views: readonly View[]): View {
  return viewOf(views.flat())
}
