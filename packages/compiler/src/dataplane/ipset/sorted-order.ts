import { compareValues } from '../../internal/compare-values.js'

/**
 * Compares the printed forms of two hash set entries in the order of `ipset -sorted save`. Returns a negative number,
 * zero or a positive number.
 *
 * Mirrors ipset 7.17. The printed forms are compared component by component. Numbers are compared by value. All numbers
 * are parsed as hexadecimal, which preserves the order of decimal numbers. Words such as protocols are compared by
 * length, then by code unit. An address precedes the networks that begin with it, a longer IPv4 prefix precedes a
 * shorter prefix, and `::` precedes any group.
 */
export function compareEntriesInSaveOrder(left: string, right: string): number {
  return compareParts(left, right, 1)
}

type Direction = 1 | -1

function compareParts(left: string, right: string, direction: Direction): number {
  if (left === '' || right === '') return left.length - right.length
  const [number, otherNumber] = [leading(/^[0-9a-f]*/i, left), leading(/^[0-9a-f]*/i, right)]
  if (number === '' || otherNumber === '') return compareWords(left, right)
  const difference = Number.parseInt(number, 16) - Number.parseInt(otherNumber, 16)
  if (difference !== 0) return direction * difference
  return compareAfterNumber(left.slice(number.length), right.slice(otherNumber.length))
}

/** Compares the rest of two printed forms after a number. Each rest is empty or starts with a separator. */
function compareAfterNumber(left: string, right: string): number {
  const prefixes = Number(left.startsWith('/')) - Number(right.startsWith('/'))
  if (prefixes !== 0) return prefixes
  const gaps = Number(right.startsWith('::')) - Number(left.startsWith('::'))
  if (gaps !== 0) return gaps
  const separator = left.startsWith('::') ? 2 : 1
  return compareParts(left.slice(separator), right.slice(separator), left.startsWith('/') ? -1 : 1)
}

function compareWords(left: string, right: string): number {
  const [word, otherWord] = [leading(/^[^:,]*/, left), leading(/^[^:,]*/, right)]
  if (word.length !== otherWord.length) return word.length - otherWord.length
  if (word === '') return compareValues(left, right)
  if (word !== otherWord) return compareValues(word, otherWord)
  return compareParts(left.slice(word.length + 1), right.slice(word.length + 1), 1)
}

/** Returns the match of a pattern that is anchored at the start of the text and always matches. */
function leading(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[0] ?? ''
}
