import { EXAMPLES } from 'virtual:gallery'
import { element } from '../dom/element.js'
import { withCode } from './examples.js'

const GROUPS = { clusters: 'Clusters', troubleshooting: 'Real problems' } as const

/** Creates the dialog with the examples and a search; `onChoose` receives the name of the selected example. */
export function createGallery(onChoose: (name: string) => void): HTMLDialogElement {
  const search = element('input', {
    type: 'text',
    placeholder: 'Search, for example: NodePort',
    'aria-label': 'Search in the examples',
    oninput: () => filter(),
  })
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    element(
      'div',
      { class: 'examples' },
      element('h3', {}, title),
      element(
        'ul',
        {},
        ...EXAMPLES.filter((example) => example.group === group).map(({ name, title: heading, text }) => {
          const choose = () => {
            dialog.close()
            onChoose(name)
          }
          return element(
            'li',
            {},
            element(
              'button',
              { type: 'button', 'data-example': name, onclick: choose },
              element('strong', {}, ...withCode(heading)),
              element('span', {}, ...withCode(text)),
            ),
          )
        }),
      ),
    ),
  )
  const dialog: HTMLDialogElement = element(
    'dialog',
    { class: 'gallery', 'aria-label': 'Examples' },
    element(
      'div',
      { class: 'bar' },
      element('h2', {}, 'Examples'),
      search,
      element('span', { class: 'grow' }),
      element('button', { type: 'button', class: 'small', onclick: () => dialog.close() }, 'Close'),
    ),
    element('div', { class: 'scroll' }, ...groups),
  )

  /** Shows the examples that contain every word of the search. */
  function filter(): void {
    const words = search.value.toLowerCase().split(/\s+/)
    for (const item of dialog.querySelectorAll('li')) {
      const text = (item.textContent ?? '').toLowerCase()
      item.hidden = !words.every((word) => text.includes(word))
    }
    for (const group of groups) group.hidden = group.querySelector('li:not([hidden])') === null
  }

  return dialog
}
