/** Formats a command line for a POSIX shell, with quotes only if necessary. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}

/**
 * Quotes a word with single quotes if a shell would interpret any of its characters. A word with characters that a
 * terminal interprets is printed by `printf`.
 */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_@%+:,./-]+$/.test(word)) return word
  if (!CONTROL.test(word)) return inQuotes(word)
  // A shell removes line breaks at the end of what a command prints.
  let end = word.length
  while (word[end - 1] === '\n') end--
  return `"$(printf ${formatOf(word.slice(0, end))})"${end < word.length ? inQuotes(word.slice(end)) : ''}`
}

/** Returns a command that prints a text. Characters that a terminal interprets are octal: `\302\233`. */
export function quotePrintf(text: string): string {
  return CONTROL.test(text) ? `printf ${formatOf(text)}` : `printf %s ${quoteWord(text)}`
}

/** Characters that a terminal interprets or that disguise text, except for tabs and line breaks. */
const CONTROL = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

function formatOf(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('%', '%%')
  // With a hyphen at the start, the format would be an option.
  return inQuotes(escaped.replace(/^-/, '\\055').replace(ALL_CONTROLS, octal))
}

const ALL_CONTROLS = new RegExp(CONTROL.source, 'gu')

function octal(character: string): string {
  // A lone surrogate has no bytes, so every program writes the replacement character instead.
  const bytes = encodeURIComponent(/\p{Cs}/u.test(character) ? '\ufffd' : character)
    .split('%')
    .slice(1)
  return bytes.map((byte) => `\\${Number.parseInt(byte, 16).toString(8).padStart(3, '0')}`).join('')
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
