import { createButton, createElement } from '../dom/create-element.js'
import { EXAMPLES, renderInlineCode } from './examples.js'

const GROUPS = { clusters: 'Clusters', troubleshooting: 'Real problems' } as const

/** Creates the dialog with the examples and a search; `onChoose` receives the name of the selected example. */
export function createGallery(onChoose: (name: string) => void): HTMLDialogElement {
  const search = createElement('input', {
    type: 'text',
    placeholder: 'Search, for example: NodePort',
    'aria-label': 'Search in the examples',
    oninput: () => filter(),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter') return
      // Otherwise, the key also presses the button that opened the dialog.
      event.preventDefault()
      openFirst()
    },
  })
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    createElement(
      'div',
      { class: 'examples' },
      createElement('h3', {}, title),
      createElement(
        'ul',
        {},
        ...EXAMPLES.filter((example) => example.group === group).map(({ name, title: heading, text }) => {
          const choose = () => {
            dialog.close()
            onChoose(name)
          }
          return createElement(
            'li',
            {},
            createElement(
              'button',
              { type: 'button', 'data-example': name, onclick: choose },
              createElement('strong', {}, ...renderInlineCode(heading)),
              createElement('span', {}, ...renderInlineCode(text)),
            ),
          )
        }),
      ),
    ),
  )
  const dialog: HTMLDialogElement = createElement(
    'dialog',
    { class: 'gallery', 'aria-label': 'Examples' },
    createElement(
      'div',
      { class: 'bar' },
      createElement('h2', {}, 'Examples'),
      search,
      createElement('span', { class: 'grow' }),
      createButton('Close', () => dialog.close()),
    ),
    createElement('div', { class: 'scroll' }, ...groups),
  )

  /** Opens the first example with the search in its title or, if there is none, the first example that is found. */
  function openFirst(): void {
    const found = [...dialog.querySelectorAll<HTMLButtonElement>('li:not([hidden]) > button')]
    const text = search.value.trim().toLowerCase()
    const best = found.find((button) => button.querySelector('strong')?.textContent?.toLowerCase().includes(text))
    ;(best ?? found[0])?.click()
  }

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
