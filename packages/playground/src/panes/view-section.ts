import type { View } from '@kube-rules/analyzer/view'
import { copyButton } from '../dom/copy-button.js'
import { element } from '../dom/element.js'
import { treeOf } from '../dom/tree.js'
import { ruleKey } from '../engine/lines-of-rules.js'
import { type PageContext, treeOptions } from './page-context.js'

/** Creates a section with a heading, a copy button if there is a text, and a view; empty for an empty view. */
export function viewSection(title: string, view: View, context: PageContext, text?: string): readonly HTMLElement[] {
  if (view.length === 0) return []
  const copy = text === undefined ? [] : [' ', copyButton('Copy', () => text)]
  return [element('h2', {}, title, ...copy), treeOf(view, treeOptions(title, context, ruleKey))]
}
