import type { View } from '@kube-rules/analyzer/view'
import { createCopyButton } from '../dom/copy-button.js'
import { createElement } from '../dom/create-element.js'
import { createTree } from '../dom/tree.js'
import { createRuleKey } from '../engine/rule-line-numbers.js'
import { createTreeOptions, type PageContext } from './page-context.js'

interface ViewSectionOptions {
  readonly heading?: 'h2' | 'h3'
  /** The text that the copy button copies. Without it, the section has no copy button. */
  readonly text?: string | undefined
}

/**
 * Creates a section with a heading, a view and, if there is a text, a copy button. Returns no elements if the view is
 * empty.
 */
export function createViewSection(
  title: string,
  view: View,
  context: PageContext,
  { heading = 'h2', text }: ViewSectionOptions = {},
): readonly HTMLElement[] {
  if (view.length === 0) return []
  const copy = text === undefined ? [] : [' ', createCopyButton('Copy', () => text)]
  return [
    createElement(heading, {}, title, ...copy),
    createTree(view, createTreeOptions(title, context, createRuleKey)),
  ]
}
