import { checkList } from '@kube-rules/compiler/internal/arguments/check-argument'
import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'
import { checkView } from '../arguments/check-results.js'
import { VIEW_KINDS, type View, type ViewKind, type ViewNode } from './view.js'

/** A view node without id and with unescaped text. */
export interface ViewDraft extends Omit<ViewNode, 'id' | 'children'> {
  readonly children: readonly ViewDraft[]
}

/** Creates a draft of this kind; `more` overrides the defaults. */
export function createViewDraft(kind: ViewKind, label: string, more: Partial<ViewDraft> = {}): ViewDraft {
  return { kind, label, severity: 'none', isBranch: false, objects: [], rules: [], children: [], ...more }
}

/** Converts drafts to a view: adds ids, and escapes control characters. Undefined properties become absent. */
export function buildView(drafts: readonly ViewDraft[], parent = ''): View {
  return drafts.map((node, index) => {
    const { kind, label, severity, isBranch, share, servicePort, cells, objects, rules, children } = node
    const id = `${parent}${index}`
    return {
      id,
      kind,
      label: escapeControlCharacters(label),
      severity,
      isBranch,
      ...(share !== undefined && { share }),
      ...(servicePort !== undefined && servicePort !== '' && { servicePort }),
      ...(cells !== undefined && { cells: cells.map(escapeControlCharacters) }),
      objects,
      rules,
      children: buildView(children, `${id}.`),
    }
  })
}

/** Concatenates views, with new unique ids. */
export function concatViews(views: readonly View[]): View {
  checkList('views', views, 'a list of views').forEach((view) => {
    checkView('views', view, VIEW_KINDS)
  })
  return buildView(views.flat())
}
