/**
 * Splits a YAML text into pieces; joined, they are the text. Each piece but the first begins with a `---` line, which
 * ends every document regardless of open structures. A piece therefore has the same documents alone as within the text,
 * unless it ends with directives, which belong to the next document.
 */
export function splitYamlPieces(text: string): readonly string[] {
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
export interface PieceCache {
  /** Returns the values of a piece. Calls `read` if they are not cached. */
  valuesOf(piece: string, read: (piece: string) => readonly unknown[]): readonly unknown[]
  /**
   * Ends a read of all texts. Pieces that did not occur in it are dropped, unless the read failed early (`isWhole` is
   * false).
   */
  turn(isWhole: boolean): void
}

export function createPieceCache(): PieceCache {
  let before = new Map<string, readonly unknown[]>()
  let now = new Map<string, readonly unknown[]>()
  return {
    valuesOf: (piece, read) => {
      // Two pieces with equal text need two objects: one shared object would be in the list twice.
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
