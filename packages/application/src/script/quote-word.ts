/** Formats a command line for a POSIX shell, with quotes only if necessary. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}

/** Quotes a word with single quotes if a shell would interpret any of its characters. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_@%+:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}
