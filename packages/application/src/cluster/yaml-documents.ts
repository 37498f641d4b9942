/**
 * Splits a YAML text into pieces whose concatenation is the text. Each piece except the first begins with a `---` line,
 * which ends every document regardless of open structures. A piece therefore has the same documents alone as within the
 * text. The exception is a piece that ends with directives, because directives belong to the next document.
 */
export function splitYamlDocuments(text: string): readonly string[] {
  const pieces: string[] = []
  let start = 0
  for (const { index } of text.matchAll(/(?<=\n)---(?=[ \t\r\n]|$)/g)) {
    pieces.push(text.slice(start, index))
    start = index
  }
  pieces.push(text.slice(start))
  return pieces
}

/** Cache of the values of YAML pieces, keyed by their text. */
export interface YamlDocumentCache {
  /** Returns the values of a piece. Calls `read` if the values are not cached. */
  valuesOf(piece: string, read: (piece: string) => readonly unknown[]): readonly unknown[]
  /**
   * Ends a pass over all texts. Pieces that did not occur in this pass are dropped from the cache. `isWhole` is false
   * if the pass failed early; then no pieces are dropped.
   */
  turn(isWhole: boolean): void
}

export function createYamlDocumentCache(): YamlDocumentCache {
  let before = new Map<string, readonly unknown[]>()
  let now = new Map<string, readonly unknown[]>()
  return {
    valuesOf: (piece, read) => {
      // A repeated piece is parsed again, because two pieces with the same text need two objects. One shared object
      // would be in the list twice.
      if (now.has(piece)) return read(piece)
      const values = before.get(piece) ?? read(piece)
      now.set(piece, values)
      return values
    },
    turn: (isWhole) => {
      before = isWhole ? now : new Map([...before, ...now])
      now = new Map()
    },
  }
}
