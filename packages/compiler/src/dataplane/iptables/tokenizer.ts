const TAB = 9
const BLANK = 32
const QUOTE = 34
const BACKSLASH = 92

/** The words of a line, or the position of an unclosed quote. */
export type TokenizedLine =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly openQuote: number }

/**
 * Splits `text` from `start` to `end` (exclusive) into words. The words are unchanged. Mirrors `add_param_to_argv` of
 * iptables 1.8: spaces and tabs separate words, a closing quote ends a word, and a backslash is special only within
 * quotes.
 */
export function tokenize(text: string, start: number, end: number): TokenizedLine {
  const words: string[] = []
  let at = start
  while (at < end) {
    const code = text.charCodeAt(at)
    if (code === BLANK || code === TAB) {
      at++
      continue
    }
    const wordEnd = endOfWord(text, at, end)
    if (wordEnd < 0) return { ok: false, openQuote: text.indexOf('"', at) }
    words.push(text.slice(at, wordEnd))
    at = wordEnd
  }
  return { ok: true, words }
}

/** Returns the end of the word that starts at `start`. Returns -1 if a quote is not closed. */
function endOfWord(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    // Fast path: most characters have a greater code than all separators and quotes.
    if (code > QUOTE) continue
    if (code === QUOTE) return endOfQuote(text, at + 1, end)
    if (code === BLANK || code === TAB) return at
  }
  return end
}

/** Returns the position after the closing quote. Returns -1 if no quote follows. */
function endOfQuote(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return -1
}
