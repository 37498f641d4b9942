import { createArgumentError } from '@kube-rules/types/internal/diagnostic'

/** A reader of a List of the API. It stores the text of one item at a time. */
export interface ListReader {
  /** Receives the next part of the text. */
  push(part: string): void
  /**
   * Returns the metadata of the list.
   *
   * @throws DiagnosticsError (`invalidArgument`) if the text is incomplete or not a list.
   */
  end(): ListMetadata
}

/** The metadata of a list. */
export interface ListMetadata {
  /** The version of the list, where a watch can continue. */
  readonly resourceVersion?: string
  /** The start of the next page. Absent or empty on the last page. */
  readonly continue?: string
}

/**
 * Creates a reader of a List in JSON, as API servers send it. `onItem` receives each item as soon as its text is
 * complete, and may keep only some of its fields. A list of a large cluster then never exists as a whole.
 *
 * @example
 * ```ts
 * const names = []
 * const reader = createListReader(({ metadata }) => names.push(metadata.name))
 * reader.push('{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"na')
 * reader.push('me":"web"}}]}')
 * reader.end().resourceVersion // => '7'
 * names // => ['web']
 * ```
 */
export function createListReader<T extends object>(onItem: (item: T) => void): ListReader {
  /** The text without the items. */
  let rest = ''
  let item = ''
  let depth = 0
  let isInItems = false
  let isFirst = true
  let isInString = false
  let isEscaped = false
  /** The last string in the object of the list itself, with its quotes. Before an array, it is a key. */
  let key = ''

  /** Reads an opening bracket. `start` is the start of the text that is not stored yet. Returns its next value. */
  function open(part: string, at: number, start: number): number {
    depth += 1
    if (depth !== 2 || part[at] !== '[' || key !== '"items"' || !isFirst) return start
    rest += part.slice(start, at + 1)
    isInItems = true
    return at + 1
  }

  function close(part: string, at: number, start: number): number {
    depth -= 1
    if (!isInItems || depth > 2) return start
    if (depth === 2) {
      item += part.slice(start, at + 1)
      passItem()
      return at + 1
    }
    item += part.slice(start, at)
    if (item.trim() !== '') throw invalid('text between the items')
    isInItems = false
    isFirst = false
    return at
  }

  function passItem(): void {
    const text = item.trimStart()
    if (!isFirst && !text.startsWith(',')) throw invalid('no comma between two items')
    onItem(parse(isFirst ? text : text.slice(1)) as T)
    isFirst = false
    item = ''
  }

  function push(part: string): void {
    let start = 0
    for (let at = 0; at < part.length; at++) {
      const code = part.charCodeAt(at)
      if (isInString) {
        if (depth === 1) key += part[at]
        if (isEscaped) isEscaped = false
        else if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) isInString = false
      } else if (code === QUOTE) {
        isInString = true
        if (depth === 1) key = '"'
      } else if (code === BRACE || code === BRACKET) start = open(part, at, start)
      else if (code === END_OF_BRACE || code === END_OF_BRACKET) start = close(part, at, start)
    }
    if (isInItems) item += part.slice(start)
    else rest += part.slice(start)
  }

  return {
    push,
    end: () => {
      const { items, metadata } = Object(parse(rest))
      if (!Array.isArray(items)) throw invalid('no items')
      return Object(metadata)
    },
  }
}

const [QUOTE, BACKSLASH, BRACE, BRACKET, END_OF_BRACE, END_OF_BRACKET] = [34, 92, 123, 91, 125, 93]

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

function invalid(message: string): Error {
  return createArgumentError('list', message, 'a List in JSON')
}
