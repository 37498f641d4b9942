import { decodeRequestHash } from './permalink.js'
import type { PlaygroundRequest } from './playground-request.js'

/** The parts of the page that a link can show: the whole page, or only one part. Other pages embed links to one part. */
export const PAGE_VIEWS = ['page', 'path', 'rules'] as const
export type PageView = (typeof PAGE_VIEWS)[number]

/** The content of a link: `#q=…` or `#example=nodeport-local`, and optionally `&view=path`. */
export interface PageLocation {
  /** The request; absent if the hash has none. */
  readonly request?: PlaygroundRequest
  readonly view: PageView
  /** The reason why the hash has no request, as a sentence; empty if it has one, or names none. */
  readonly problem: string
}

/** Parses the hash of a link. `findExample` returns the request of an example; unknown names and views are ignored. */
export async function parseLocation(
  hash: string,
  findExample: (name: string) => PlaygroundRequest | undefined,
): Promise<PageLocation> {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const encoded = fields.get('q')
  const example = fields.get('example')
  const request = encoded === null ? findExample(example ?? '') : await decodeRequestHash(`#q=${encoded}`)
  const view = PAGE_VIEWS.find((each) => each === fields.get('view')) ?? 'page'
  const problem = request === undefined ? describeProblem(encoded, example) : ''
  return { view, problem, ...(request !== undefined && { request }) }
}

function describeProblem(encoded: string | null, example: string | null): string {
  if (encoded !== null)
    return 'This link is damaged, perhaps because a part is missing at its end. Copy it again from the page.'
  return example === null ? '' : `There is no example with the name ${example.slice(0, 60)}.`
}
