import { element } from '../dom/element.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { exampleOf, withCode } from './examples.js'

export interface Introduction {
  readonly band: HTMLElement
  /** Shows the symptom of the example, if the request is an example. */
  show(question: PlaygroundRequest): void
}

/** The first actions that the introduction offers. */
export interface EntryPoints {
  readonly learn: () => void
  readonly pasteObjects: () => void
  readonly pasteDump: () => void
  /** Absent without saved work. */
  readonly resume?: (() => void) | undefined
}

const KEY = 'kube-rules introduction'
const DOCUMENTATION = 'https://kube-rules.github.io/kube-rules/'
const SOURCE = 'https://github.com/kube-rules/kube-rules'

/** Creates the introduction: a description of the page, the first actions, and the text of the current example. */
export function createIntroduction({ learn, pasteObjects, pasteDump, resume }: EntryPoints): Introduction {
  const example = element('p', { class: 'example', hidden: true })
  const welcome = element(
    'div',
    { class: 'welcome', hidden: isClosed() },
    element(
      'p',
      {},
      'See the rules that kube-proxy programs for your Services, and follow a packet through them. ',
      element('span', { class: 'privacy' }, 'Nothing that you paste leaves the page.'),
    ),
    element(
      'div',
      { class: 'entry-points' },
      entryPoint('Follow a packet', learn),
      entryPoint('Paste your YAML', pasteObjects),
      entryPoint('Paste a node dump', pasteDump),
      ...(resume === undefined ? [] : [entryPoint('Continue your last edit', resume)]),
      element('a', { href: DOCUMENTATION, target: '_blank', rel: 'noreferrer' }, 'Documentation'),
      element('a', { href: SOURCE, target: '_blank', rel: 'noreferrer' }, 'Source'),
      element(
        'button',
        { type: 'button', class: 'small', 'aria-label': 'Close the introduction', onclick: close },
        '×',
      ),
    ),
  )
  const band = element('section', { class: 'introduction', 'aria-label': 'Introduction' }, welcome, example)

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

  return {
    band,
    show: (question) => {
      const current = exampleOf(question)
      example.hidden = current === undefined
      if (current !== undefined) {
        example.replaceChildren(element('strong', {}, ...withCode(current.title)), ' ', ...withCode(current.text))
      }
      update()
    },
  }
}

function entryPoint(label: string, onclick: () => void): HTMLElement {
  return element('button', { type: 'button', class: 'small', onclick }, label)
}

function isClosed(): boolean {
  try {
    return localStorage.getItem(KEY) === 'closed'
  } catch {
    return false
  }
}
