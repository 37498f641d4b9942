import { EXAMPLES } from 'virtual:gallery'
import { element } from '../dom/element.js'
import { type PlaygroundRequest, toPlaygroundRequest } from '../question/playground-request.js'

const GROUPS = { clusters: 'Clusters', troubleshooting: 'Real problems' } as const

/** Creates the dialog with the examples; `onChoose` receives the selected request. */
export function createGallery(onChoose: (question: PlaygroundRequest) => void): HTMLDialogElement {
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    element(
      'div',
      { class: 'examples' },
      element('h3', {}, title),
      element(
        'ul',
        {},
        ...EXAMPLES.filter((example) => example.group === group).map(({ name, title: heading, text, question }) => {
          const choose = () => {
            dialog.close()
            onChoose(toPlaygroundRequest(question))
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
      element('span', { class: 'grow' }),
      element('button', { type: 'button', class: 'small', onclick: () => dialog.close() }, 'Close'),
    ),
    element('div', { class: 'scroll' }, ...groups),
  )
  return dialog
}

/** Returns text with an element for each part between backticks. */
function withCode(text: string): readonly (string | HTMLElement)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part))
}

/** Returns the first example for a page without a link. */
export function getFirstExample(): PlaygroundRequest {
  const found = EXAMPLES.find(({ name }) => name === 'seed-ngx-nodeport') ?? EXAMPLES[0]
  if (found === undefined) throw new Error('there are no examples')
  return toPlaygroundRequest(found.question)
}
