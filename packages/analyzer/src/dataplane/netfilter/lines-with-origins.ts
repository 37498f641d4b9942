import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { CreateLine, LineOrigin } from './line-origin.js'

/** Splits printed rules into lines and adds the origin of each line. */
export function splitLinesWithOrigins<Line>(
  text: string,
  originsOf: (lines: readonly string[]) => readonly LineOrigin[],
  createLine: CreateLine<Line>,
): readonly Line[] {
  if (text === '') return []
  const lines = text.replace(/\n$/, '').split('\n')
  const origins = originsOf(lines)
  return lines.map((line, index) => createLine(line, elementAt(origins, index)))
}
