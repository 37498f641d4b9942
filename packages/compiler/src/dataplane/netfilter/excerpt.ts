/** How much of a long line an excerpt shows on either side of the place. */
const MARGIN = 60

/**
 * The line with a mark under the column, in two lines of text: `12 | -A KUBE …`. Line and column count from 1. What cannot be
 * shown is a blank.
 */
export function excerptOf(line: number, column: number, source: string): string {
  const start = Math.max(0, column - 1 - MARGIN)
  const excerpt = source.slice(start, column - 1 + MARGIN)
  const number = `${line} | `
  const mark = `${' '.repeat(number.length - 2)}| ${' '.repeat(column - 1 - start)}^`
  return `${number}${excerpt.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')}\n${mark}`
}
