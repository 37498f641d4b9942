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
