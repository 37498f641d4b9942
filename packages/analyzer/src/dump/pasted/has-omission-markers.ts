import { cleanLine, isOmissionMarker, isTruncatedLine } from './clean-line.js'

/** Reports whether an input marks omissions with `...`, possibly in a comment (`# ...`). */
export function hasOmissionMarkers(texts: readonly string[]): boolean {
  return texts.some((text) =>
    text
      .split('\n')
      .some(
        (line) =>
          /[.\u2026<([#]/.test(line) && (isOmissionMarker(cleanLine(line).source) || isTruncatedLine(line.trimEnd())),
      ),
  )
}
