import type { LineOrigin, MakeLine } from './line-origin.js'

/** The lines of a text, with what `originsOf` says of all of them in their order. */
export function linesWithOrigins<Line>(
  text: string,
  originsOf: (lines: readonly string[]) => readonly LineOrigin[],
  make: MakeLine<Line>,
): readonly Line[] {
  if (text === '') return []
  const lines = text.replace(/\n$/, '').split('\n')
  const origins = originsOf(lines)
  return lines.map((line, index) => make(line, origins[index] as LineOrigin))
}
