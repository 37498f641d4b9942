import type { RuleReference, View, ViewNode } from '@kube-rules/analyzer/view'
import { createElement, setHue } from './create-element.js'

export interface TreeOptions {
  readonly label: string
  /** Returns the hue of a service port, and its number as an alternative to the color. */
  readonly portOf: (servicePort: string | undefined) => { readonly hue: number; readonly number: number } | undefined
  /** Returns the keys of the rules of a line, for `highlightTreeRules`. */
  readonly rulesOf: (node: ViewNode) => readonly string[]
  /** Called when a line is selected. `node` is the view node of the line, with its rules and its service port. */
  readonly onChoose: (node: ViewNode) => void
  /** Called when a line gets hover or focus. The argument is undefined when the line loses hover or focus. */
  readonly onHighlight: (node: ViewNode | undefined) => void
}

/** Maximum number of initially rendered view lines; the rest are rendered on demand. */
const MOST_LINES = 400

/** Creates an ARIA tree of a view: arrow keys move, Enter selects. */
export function createTree(view: View, options: TreeOptions): HTMLElement {
  const budget = { left: MOST_LINES }
  const tree = createElement('ul', {
    role: 'tree',
    'aria-label': options.label,
    class: 'tree',
    onkeydown: (event: KeyboardEvent) => move(event, tree),
  })
  tree.append(...itemsOf(view, options, 1, budget))
  const first = tree.querySelector<HTMLElement>('[role=treeitem]')
  if (first) first.tabIndex = 0
  return tree
}

/** Highlights the lines of a tree that contain one of the rules. */
export function highlightTreeRules(tree: HTMLElement, rules: readonly string[]): void {
  for (const line of tree.querySelectorAll<HTMLElement>('.line[data-rules]')) {
    line.classList.toggle('now', line.dataset.rules?.split('\n').some((rule) => rules.includes(rule)) === true)
  }
}

interface Budget {
  left: number
}

function itemsOf(view: View, options: TreeOptions, level: number, budget: Budget): readonly HTMLElement[] {
  const items: HTMLElement[] = []
  for (const [index, node] of view.entries()) {
    if (budget.left <= 0) return [...items, moreItem(view.slice(index), options, level)]
    budget.left--
    items.push(itemOf(node, options, level, budget))
  }
  return items
}

function moreItem(rest: View, options: TreeOptions, level: number): HTMLElement {
  const show = () => item.replaceWith(...itemsOf(rest, options, level, { left: MOST_LINES }))
  const item = createElement(
    'li',
    { role: 'treeitem', 'aria-level': level, tabindex: -1, onclick: show, class: 'more' },
    `… ${rest.length} more: show`,
  )
  return item
}

function itemOf(node: ViewNode, options: TreeOptions, level: number, budget: Budget): HTMLElement {
  const port = options.portOf(node.servicePort)
  const choose = (event: Event) => {
    event.stopPropagation()
    options.onChoose(node)
  }
  const leads =
    node.rules.some(({ text, location }: RuleReference) => text !== '' || location !== '') || port !== undefined
  const line = setHue(
    createElement(
      'span',
      {
        class: `line ${node.kind} ${node.severity}${leads ? ' leads' : ''}${port ? ' owned' : ''}`,
        'data-rules': leads ? options.rulesOf(node).join('\n') : undefined,
        onmouseenter: () => options.onHighlight(node),
        onmouseleave: () => options.onHighlight(undefined),
      },
      ...(port ? [createElement('span', { class: 'port-number', 'aria-hidden': 'true' }, String(port.number))] : []),
      ...(node.share === undefined ? [] : [createElement('span', { class: 'share' }, node.share)]),
      createElement('span', { class: 'words' }, node.cells ? node.cells.join('  ') : withoutShare(node)),
    ),
    port?.hue,
  )
  const below = itemsOf(node.children, options, level + 1, budget)
  const item = createElement(
    'li',
    {
      role: 'treeitem',
      'aria-level': level,
      tabindex: -1,
      'aria-expanded': below.length > 0 ? 'true' : undefined,
      class: node.isBranch ? 'branch' : undefined,
      onclick: choose,
      onfocus: () => options.onHighlight(node),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault()
          choose(event)
        }
      },
    },
    line,
  )
  if (below.length > 0) item.append(createElement('ul', { role: 'group' }, ...below))
  return item
}

/** Returns the label of a view node without the share, which is displayed separately. */
function withoutShare({ label, share }: ViewNode): string {
  return share !== undefined && label.startsWith(`${share} `) ? label.slice(share.length + 1) : label
}

function move(event: KeyboardEvent, tree: HTMLElement): void {
  const shown = [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')].filter((item) => item.offsetParent !== null)
  const at = shown.indexOf(document.activeElement as HTMLElement)
  const current = shown[at]
  if (current === undefined) return
  const next = targetOf(event.key, shown, at, current)
  if (next === undefined) return
  event.preventDefault()
  event.stopPropagation()
  if (next === current) return
  current.tabIndex = -1
  next.tabIndex = 0
  next.focus()
}

function targetOf(
  key: string,
  shown: readonly HTMLElement[],
  at: number,
  current: HTMLElement,
): HTMLElement | undefined {
  const expanded = current.getAttribute('aria-expanded')
  switch (key) {
    case 'ArrowDown':
      return shown[Math.min(at + 1, shown.length - 1)]
    case 'ArrowUp':
      return shown[Math.max(at - 1, 0)]
    case 'Home':
      return shown[0]
    case 'End':
      return shown.at(-1)
    case 'ArrowRight':
      if (expanded === 'false') current.setAttribute('aria-expanded', 'true')
      return expanded === 'true' ? shown[at + 1] : current
    case 'ArrowLeft':
      if (expanded === 'true') {
        current.setAttribute('aria-expanded', 'false')
        return current
      }
      return current.parentElement?.closest<HTMLElement>('[role=treeitem]') ?? current
    default:
      return undefined
  }
}
