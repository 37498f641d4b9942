/** How much of a long line an excerpt shows on either side of the place. */
const MARGIN = 60

/** The line with a mark under the column, in two lines of text: `12 | -A KUBE …`. Line and column count from 1. */
export function excerptOf(line: number, column: number, source: string): string {
  const start = Math.max(0, column - 1 - MARGIN)
  const excerpt = source.slice(start, column - 1 + MARGIN)
  const number = `${line} | `
  const mark = `${' '.repeat(number.length - 2)}| ${' '.repeat(column - 1 - start)}^`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an excerpt shows them as one column each
  return `${number}${excerpt.replace(/[\x00-\x1f\x7f]/g, ' ')}\n${mark}`
}
