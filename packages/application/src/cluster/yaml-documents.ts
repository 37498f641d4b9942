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

/** The parts of a List. Their concatenation, in this order, is the text. */
export interface YamlListParts {
  /** The fields before the items, with the line `items:`. */
  readonly head: string
  /** The items, each as a sequence with one item. */
  readonly items: readonly string[]
  /** The fields after the items. */
  readonly tail: string
}

/**
 * Splits a document at the items of its field `items`, in the format of `kubectl get -o yaml`: each item begins with
 * `- ` at the start of a line, and the other lines of the items are indented. Undefined for any other text. A caller
 * must also check the values of the parts.
 */
export function splitYamlList(text: string): YamlListParts | undefined {
  const start = text.indexOf('\n- ') + 1
  const head = text.slice(0, start)
  if (start === 0 || !/(?:^|\n)items:[ \t]*\r?\n$/.test(head)) return undefined
  const notIndented = /\n(?![ \r\n]|- )/g
  notIndented.lastIndex = start
  const end = (notIndented.exec(text)?.index ?? text.length - 1) + 1
  const items: string[] = []
  for (let from = start; from < end; ) {
    const next = text.indexOf('\n- ', from) + 1
    const to = next === 0 || next > end ? end : next
    items.push(text.slice(from, to))
    from = to
  }
  return { head, items, tail: text.slice(end) }
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
