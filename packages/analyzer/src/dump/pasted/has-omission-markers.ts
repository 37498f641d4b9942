import { cleanLine, isOmissionMarker, isTruncatedLine } from './clean-line.js'

/** Reports whether a text marks omissions, perhaps after `#`, which makes them comments for the tools. */
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
