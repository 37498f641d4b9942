import type { GalleryExample } from 'virtual:gallery'
import { createButton, createElement } from '../dom/create-element.js'
import { findExampleOfRequest, renderInlineCode } from './examples.js'
import type { PageContext } from './page-context.js'
import type { Pane } from './pane.js'
import { createProjectLinks } from './project-links.js'

/** The first actions that the introduction offers. */
export interface IntroductionActions {
  readonly learn: () => void
  readonly pasteObjects: () => void
  readonly pasteDump: () => void
  /** The link to saved work. */
  readonly resume: string | undefined
}

const KEY = 'kube-rules introduction'

/** Creates the introduction: a description of the page, the first actions, and the text of the current example. */
export function createIntroduction(
  { question }: PageContext,
  { learn, pasteObjects, pasteDump, resume }: IntroductionActions,
): Pane {
  const example = createElement('p', { class: 'example', hidden: true })
  const welcome = createElement(
    'div',
    { class: 'welcome', hidden: isClosed() },
    createElement(
      'p',
      {},
      'See the rules that kube-proxy programs for your Services, and follow a packet through them. ',
      createElement('span', { class: 'privacy' }, 'Nothing that you paste leaves the page.'),
    ),
    createElement(
      'div',
      { class: 'entry-points' },
      entryPoint('Follow a packet', learn),
      entryPoint('Paste your YAML', pasteObjects),
      entryPoint('Paste a node dump', pasteDump),
      ...(resume === undefined ? [] : [entryPoint('Continue your last edit', () => location.assign(resume))]),
      ...createProjectLinks(),
      createButton('×', close, { 'aria-label': 'Close the introduction' }),
    ),
  )
  const panel = createElement('section', { class: 'introduction', 'aria-label': 'Introduction' }, welcome, example)

  function close(): void {
    welcome.hidden = true
    try {
      localStorage.setItem(KEY, 'closed')
    } catch {}
    update()
  }

  function update(): void {
    panel.hidden = welcome.hidden && example.hidden
  }

  let last: GalleryExample | undefined
  return {
    panel,
    update: {},
    load: () => {
      const current = findExampleOfRequest(question.get())
      if (current !== undefined) last = current
      // The text stays while the user edits the example, so that the page does not move under the pointer.
      example.hidden = current === undefined && !isEditOf(question.get().objects, last)
      if (last !== undefined && !example.hidden) {
        example.replaceChildren(
          createElement('strong', {}, ...renderInlineCode(last.title)),
          ' ',
          ...(current === undefined ? ['with your edits'] : renderInlineCode(current.text)),
        )
      }
      update()
    },
  }
}

/** Reports whether objects begin like those of an example. */
function isEditOf(objects: string, example: GalleryExample | undefined): boolean {
  const [first] = objects.split('\n', 1)
  return example !== undefined && first !== '' && first === example.objects?.split('\n', 1)[0]
}

function entryPoint(label: string, onclick: () => void): HTMLElement {
  return createButton(label, onclick)
}

function isClosed(): boolean {
  try {
    return localStorage.getItem(KEY) === 'closed'
  } catch {
    return false
  }
}
