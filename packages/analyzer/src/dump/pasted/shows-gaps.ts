import { cleanLine, isCutLine, isElision } from './clean-line.js'

/** Whether somebody has left lines out and says so, perhaps behind `#`, where the tools see a comment. */
export function showsGaps(texts: readonly string[]): boolean {
  return texts.some((text) =>
    text
      .split('\n')
      .some((line) => /[.\u2026<([#]/.test(line) && (isElision(cleanLine(line).source) || isCutLine(line.trimEnd()))),
  )
}
