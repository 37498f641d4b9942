/** A command line for a POSIX shell, each word quoted where it has to be. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}

/** The word as it is, or in single quotes where a shell would read something else than its characters. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_@%+:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}
