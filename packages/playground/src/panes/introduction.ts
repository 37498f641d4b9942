import type { GalleryExample } from 'virtual:gallery'
import { createElement } from '../dom/create-element.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { findExampleOfRequest, renderInlineCode } from './examples.js'
import { createProjectLinks } from './project-links.js'

export interface Introduction {
  readonly band: HTMLElement
  /** Shows the symptom of the example, if the request is an example. */
  show(question: PlaygroundRequest): void
}

/** The first actions that the introduction offers. */
export interface IntroductionActions {
  readonly learn: () => void
  readonly pasteObjects: () => void
  readonly pasteDump: () => void
  /** Absent without saved work. */
  readonly resume?: (() => void) | undefined
}

const KEY = 'kube-rules introduction'

/** Creates the introduction: a description of the page, the first actions, and the text of the current example. */
export function createIntroduction({ learn, pasteObjects, pasteDump, resume }: IntroductionActions): Introduction {
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
      ...(resume === undefined ? [] : [entryPoint('Continue your last edit', resume)]),
      ...createProjectLinks(),
      createElement(
        'button',
        { type: 'button', class: 'small', 'aria-label': 'Close the introduction', onclick: close },
        '×',
      ),
    ),
  )
  const band = createElement('section', { class: 'introduction', 'aria-label': 'Introduction' }, welcome, example)

  function close(): void {
    welcome.hidden = true
    try {
      localStorage.setItem(KEY, 'closed')
    } catch {}
    update()
  }

  function update(): void {
    band.hidden = welcome.hidden && example.hidden
  }

  let last: GalleryExample | undefined
  return {
    band,
    show: (question) => {
      const current = findExampleOfRequest(question)
      if (current !== undefined) last = current
      // The text stays while the user edits the example, so that the page does not move under the pointer.
      example.hidden = current === undefined && !isEditOf(question.objects, last)
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
  return createElement('button', { type: 'button', class: 'small', onclick }, label)
}

function isClosed(): boolean {
  try {
    return localStorage.getItem(KEY) === 'closed'
  } catch {
    return false
  }
}
