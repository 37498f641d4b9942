/** One document of a text of several, without the line `---` before it. */
export interface DocumentText {
  readonly text: string
  /** The line of the whole text, from 0, in which it begins. */
  readonly firstLine: number
}

/** The documents of a YAML text; JSON is one. Joined with what is between them they are the text. */
export function documentsOf(text: string): readonly DocumentText[] {
  const documents: DocumentText[] = []
  const lines = text.split('\n')
  let start = 0
  const end = (line: number) => {
    if (line > start) documents.push({ text: lines.slice(start, line).join('\n'), firstLine: start })
  }
  for (let line = 0; line < lines.length; line++) {
    if (!/^---(?:\s|$)/.test(lines[line] ?? '')) continue
    end(line)
    start = line + 1
  }
  end(lines.length)
  return documents
}
