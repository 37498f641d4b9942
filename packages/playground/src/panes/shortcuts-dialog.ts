import { createButton, createElement } from '../dom/create-element.js'
import { createProjectLinks } from './project-links.js'

/** A key that works outside of text fields. */
export interface Shortcut {
  readonly key: string
  readonly label: string
  readonly run: () => void
}

/** Keys of the editors, which the list also shows. */
const EDITOR_HELP: readonly (readonly [keys: string, label: string])[] = [
  ['Ctrl Enter', 'Jump from a field to its rules, and back'],
  ['Ctrl F', 'Search in the editor'],
  ['Ctrl Z', 'Undo an edit'],
  ['Esc, then Tab', 'Leave the editor'],
]

/** Creates the list of shortcuts, and makes them work. `?` opens the list. */
export function createShortcuts(shortcuts: readonly Shortcut[]): HTMLDialogElement {
  const rows = [...shortcuts.map(({ key, label }) => [key, label] as const), ['?', 'Show this list'], ...EDITOR_HELP]
  const dialog: HTMLDialogElement = createElement(
    'dialog',
    { class: 'shortcuts', 'aria-label': 'Keyboard shortcuts' },
    createElement(
      'div',
      { class: 'bar' },
      createElement('h2', {}, 'Keyboard shortcuts'),
      createElement('span', { class: 'grow' }),
      createButton('Close', () => dialog.close()),
    ),
    createElement(
      'dl',
      {},
      ...rows.flatMap(([keys = '', label = '']) => [
        createElement('dt', {}, createElement('kbd', {}, keys)),
        createElement('dd', {}, label),
      ]),
    ),
    createElement('p', { class: 'links' }, ...createProjectLinks()),
  )
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isInTextField(event.target)) return
    if (document.querySelector('dialog[open]') !== null) return
    if (event.key === '?') dialog.showModal()
    else {
      const shortcut = shortcuts.find(({ key }) => key === event.key)
      if (shortcut === undefined) return
      shortcut.run()
    }
    event.preventDefault()
  })
  return dialog
}

function isInTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea, [contenteditable=true]') !== null
}
