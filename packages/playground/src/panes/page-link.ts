import { createButton } from '../dom/create-element.js'
import { parseLocation } from '../question/location.js'
import { encodeRequestHash } from '../question/permalink.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { saveLink } from '../question/saved-link.js'
import { findExample, findExampleOfRequest } from './examples.js'
import type { PageContext } from './page-context.js'

/** The link of the page, which contains the request, and the history of the browser. */
export interface PageLink {
  /** Opens another request as a new entry of the history, so that "back" returns to this one. */
  begin(request: PlaygroundRequest): Promise<void>
  openExample(name: string): Promise<void>
  /** Writes the request to the link now, without waiting for a pause. */
  update(): Promise<void>
}

/**
 * The number of milliseconds without a change before the link is updated. The delay is longer for long texts, because
 * deflating them takes time.
 */
const LINK_DELAY = 400
const MOST_LINK = 500_000
/** Some programs truncate longer links. */
const LONG_LINK = 2000
const MOST_TEXT = 4_000_000

/**
 * Keeps the link of the page and the request equal. `showProblem` receives the problem of a link that the user
 * opens, or an empty text.
 */
export function createPageLink({ question }: PageContext, showProblem: (problem: string) => void): PageLink {
  let delay: ReturnType<typeof setTimeout> | undefined
  question.subscribe((asked) => {
    showProblem('')
    clearTimeout(delay)
    delay = setTimeout(() => void keepLink(asked), LINK_DELAY + lengthOf(asked) / 500)
  })
  addEventListener('hashchange', async ({ newURL }) => {
    // The link of the request before may have replaced the address meanwhile.
    const { request, problem } = await parseLocation(new URL(newURL).hash, findExample)
    if (request !== undefined) question.set(request)
    showProblem(problem)
  })

  async function begin(request: PlaygroundRequest, hash?: string): Promise<void> {
    const left = question.get()
    question.set(request)
    clearTimeout(delay)
    await keepLink(left)
    history.pushState(null, '', hash ?? (await encodeRequestHash(request)))
  }

  return {
    begin,
    openExample: async (name) => {
      const request = findExample(name)
      if (request !== undefined) await begin(request, `#example=${name}`)
    },
    update: () => keepLink(question.get()),
  }
}

/** Creates the button that copies the link to the current request. */
export function createShareButton({ update }: PageLink): HTMLButtonElement {
  const button = createButton('Copy link', async () => {
    await update()
    const isCopied = await copy(location.href)
    const size = location.href.length < LONG_LINK ? '' : ` (${Math.round(location.href.length / 1000)} kB)`
    button.textContent = isCopied ? `Link copied${size}` : 'Link is in the address bar'
    setTimeout(() => {
      button.textContent = 'Copy link'
    }, 2500)
  })
  return button
}

/** Returns the link to the whole page with the current request. */
export function wholePage(): string {
  return location.href.replace(/&view=\w+/, '')
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Writes the request to the link of the page, and saves the user's own objects for the next visit. */
async function keepLink(asked: PlaygroundRequest): Promise<void> {
  if (lengthOf(asked) > MOST_TEXT) return
  const hash = await encodeRequestHash(asked)
  if (findExampleOfRequest(asked) === undefined && lengthOf(asked) > 0) saveLink(hash)
  const { view } = document.body.dataset
  const next = view === undefined || view === 'page' ? hash : `${hash}&view=${view}`
  // Browsers reject longer links.
  if (hash.length < MOST_LINK && next !== location.hash) history.replaceState(null, '', next)
}

function lengthOf({ objects, before, dump }: PlaygroundRequest): number {
  return objects.length + before.length + dump.length
}
