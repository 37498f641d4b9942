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
