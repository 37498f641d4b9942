import { checkString } from '@kube-rules/compiler/internal/arguments/check-argument'
import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'

/** The maximum number of characters of a text in a code span: more than any list of addresses has. */
const LONGEST_TEXT = 3000

/** The maximum number of characters of a name, such as that of a service port. */
const LONGEST_NAME = 100

/**
 * Formats text from the input as a code span, which makes markup, mentions, references to issues and URLs inert. Long
 * text is shortened in the middle. Backticks become escape sequences.
 */
export function formatCodeSpan(text: string): string {
  checkString('text', text, 'a text')
  if (text === '') return ''
  return `\`${escapeControlCharacters(shortenText(text, LONGEST_TEXT)).replaceAll('`', '\\u0060')}\``
}

/** Shortens a name in the middle, because its beginning and its end are most important. */
export function shortenName(name: string): string {
  checkString('name', name, 'a name')
  return shortenText(name, LONGEST_NAME)
}

function shortenText(text: string, longest: number): string {
  if (text.length <= longest) return text
  // A character has at most two code units, so that a text of any length costs the same.
  const units = 2 * longest
  if (text.length <= units && [...text].length <= longest) return text
  const end = Math.floor(longest / 3)
  const first = [...text.slice(0, units)].slice(0, longest - end - 1)
  const last = [...text.slice(-units)].slice(-end)
  return `${first.join('')}…${last.join('')}`
}

/**
 * Returns the first items: at most `most`, with a total length of at most `longest`. A last item has the number of
 * omitted items.
 */
export function limitItems(items: readonly string[], longest: number, most: number): readonly string[] {
  const whole = countFitting(items, longest)
  if (whole === items.length && items.length <= most) return items
  const count = Math.min(most, countFitting(items, longest - ROOM_FOR_COUNT))
  return [...items.slice(0, count), `- … and ${items.length - count} more, most important first`]
}

/** The maximum length of the item with the number of omitted items. */
const ROOM_FOR_COUNT = 60

function countFitting(items: readonly string[], longest: number): number {
  let length = 0
  const tooLong = items.findIndex((item) => {
    length += item.length + 1
    return length > longest
  })
  return tooLong < 0 ? items.length : tooLong
}
