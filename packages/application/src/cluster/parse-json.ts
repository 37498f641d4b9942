/**
 * The JSON documents of a text in order. If a document is invalid, a one-line error message about the first invalid
 * document instead.
 */
export type ParsedJson =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly problem: string }

/** Reports whether an unparsable text was probably meant as JSON rather than as a YAML flow collection. */
export function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(text)
}

/**
 * Parses any number of JSON objects and lists that are separated only by whitespace, as in the output of several
 * `kubectl get -o json` commands.
 */
export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, values: [JSON.parse(text)] }
  } catch {
    return parseSeveral(text)
  }
}

function parseSeveral(text: string): ParsedJson {
  const values: unknown[] = []
  for (let start = 0; ; ) {
    const from = start + text.slice(start).search(/\S/)
    if (from < start) return { ok: true, values }
    const piece = documentAt(text, from)
    const where = (position: number) => `document ${values.length + 1}, ${placeOf(text, position)}`
    if (piece.openedAt !== undefined) {
      return { ok: false, problem: `${where(piece.openedAt)}: the bracket or quote is not closed` }
    }
    try {
      values.push(JSON.parse(text.slice(from, piece.end)))
    } catch (error) {
      return { ok: false, problem: describe(error, from, where) }
    }
    start = piece.end
  }
}

/** The end of a document. If a bracket or quote is not closed, also the position of this bracket or quote. */
interface Piece {
  readonly end: number
  readonly openedAt?: number | undefined
}

/**
 * Finds the bracket that closes the first bracket of a document. If the document does not start with a bracket, the
 * document is the rest of the text.
 */
function documentAt(text: string, from: number): Piece {
  const open: number[] = []
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfText(text, at)
      if (end === undefined) return { end: text.length, openedAt: at }
      at = end
    } else if (character === '{' || character === '[') open.push(at)
    else if (character === '}' || character === ']') open.pop()
    if (open.length === 0 && /[}\]]/.test(character ?? '')) return { end: at + 1 }
  }
  return { end: text.length, openedAt: open.at(-1) }
}

/** Returns the position of the quote that closes the quote at `start`. */
function endOfText(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return undefined
}

/**
 * Formats a JSON error of the JS engine, with its position converted to a position in the whole text. The quoted part of
 * the text is left out, because objects may be secrets.
 */
function describe(error: unknown, from: number, where: (position: number) => string): string {
  const message = error instanceof Error ? error.message : String(error)
  const [positionText, position] = /(?: in JSON)? at position (\d+).*$/s.exec(message) ?? []
  const reason = positionText === undefined ? message : message.slice(0, -positionText.length)
  return `${where(from + Number(position ?? 0))}: ${reason.split(/\n|, (?:\.\.\.)?"/)[0]}`
}

/** Formats a position as line and column, both from 1. */
function placeOf(text: string, position: number): string {
  const before = text.slice(0, position)
  const lineStart = before.lastIndexOf('\n') + 1
  return `line ${before.split('\n').length}, column ${position - lineStart + 1}`
}
