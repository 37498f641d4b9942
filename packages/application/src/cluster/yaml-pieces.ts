/**
 * A YAML text in pieces, which joined are the text: each but the first begins with a line `---`, at which every document ends,
 * whatever is open there. So a piece holds the documents that it holds in the text, but for one that ends with directives, which
 * are those of the next.
 */
export function yamlPieces(text: string): readonly string[] {
  const pieces: string[] = []
  let start = 0
  for (const { index } of text.matchAll(/(?<=\n)---(?=[ \t\r\n]|$)/g)) {
    pieces.push(text.slice(start, index))
    start = index
  }
  pieces.push(text.slice(start))
  return pieces
}

/** What the pieces of texts hold that were read before, by their own text. */
export interface KnownPieces {
  /** What a piece holds, which `read` says where that is not known. */
  valuesOf(piece: string, read: (piece: string) => readonly unknown[]): readonly unknown[]
  /** To be called when all texts are read: what was not in them is forgotten, unless they could not be read to their end. */
  turn(isWhole: boolean): void
}

export function createKnownPieces(): KnownPieces {
  let before = new Map<string, readonly unknown[]>()
  let now = new Map<string, readonly unknown[]>()
  return {
    valuesOf: (piece, read) => {
      // Two pieces with one text are two objects: of one it would seem that it stands in a list twice.
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
