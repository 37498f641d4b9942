import { COLUMNS, type GalleryExample } from 'virtual:gallery'
import { createElement } from '../dom/create-element.js'
import { fromColumns } from '../question/gallery-columns.js'
import { type PlaygroundRequest, toPlaygroundRequest } from '../question/playground-request.js'

/** The examples of the gallery. */
export const EXAMPLES: readonly GalleryExample[] = fromColumns(COLUMNS) as never

/** Returns the request of an example by its name; undefined for an unknown name. */
export function findExample(name: string): PlaygroundRequest | undefined {
  const match = EXAMPLES.find((example) => example.name === name)
  return match && toPlaygroundRequest(match)
}

/** Returns the first example, for a page without a link. */
export function getFirstExample(): PlaygroundRequest {
  return toPlaygroundRequest(EXAMPLES[0])
}

/** Returns the example with the objects and the dump of a request; undefined if the user has edited them. */
export function findExampleOfRequest({ objects, dump }: PlaygroundRequest): (typeof EXAMPLES)[number] | undefined {
  return EXAMPLES.find(
    (example) => (example.objects ?? '') === objects && (example.dump ?? '') === dump && objects + dump !== '',
  )
}

/** Returns text with an element for each part between backticks. */
export function renderInlineCode(text: string): readonly (string | HTMLElement)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? createElement('code', {}, part) : part))
}
