/** The JSON documents of a text, one after another; or what is wrong with the first that is none, on one line. */
export type ParsedJson =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly problem: string }

/** Whether text that can be read as nothing was probably meant as JSON, and not as a flow of YAML. */
export function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(text)
}

/** Reads any number of objects and lists with nothing but blanks between them, as `kubectl get -o json` prints several. */
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
      return { ok: false, problem: `${where(piece.openedAt)}: the text ends within what is opened here` }
    }
    try {
      values.push(JSON.parse(text.slice(from, piece.end)))
    } catch (error) {
      return { ok: false, problem: describe(error, from, where) }
    }
    start = piece.end
  }
}

/** Where a document ends, or where what is open at the end of the text was opened. */
interface Piece {
  readonly end: number
  readonly openedAt?: number | undefined
}

/** Up to the bracket that closes the first; what does not begin with a bracket is the rest of the text. */
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

/** The place of the quote that closes the one at `start`. */
function endOfText(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return undefined
}

/** The engine's words with the place in the whole text. */
function describe(error: unknown, from: number, where: (position: number) => string): string {
  const message = error instanceof Error ? error.message : String(error)
  const [found, position] = /(?: in JSON)? at position (\d+).*$/s.exec(message) ?? []
  const reason = found === undefined ? message : message.slice(0, -found.length)
  return `${where(from + Number(position ?? 0))}: ${reason.split('\n')[0]}`
}

/** Line and column count from 1. */
function placeOf(text: string, position: number): string {
  const before = text.slice(0, position)
  const lineStart = before.lastIndexOf('\n') + 1
  return `line ${before.split('\n').length}, column ${position - lineStart + 1}`
}
