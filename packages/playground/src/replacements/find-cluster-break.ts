const SEGMENTER = new Intl.Segmenter('en')
/** The longest text on each side of a position that is examined. */
const REACH = 64

/**
 * Returns the end of the character (with its accents) after a position of a line, or the start of the character before it.
 * Replaces `@marijn/find-cluster-break` of the editor in the page, which contains tables for browsers without a segmenter.
 */
export function findClusterBreak(text: string, position: number, isForward = true): number {
  const start = Math.max(position - REACH, 0)
  const segments = SEGMENTER.segment(text.slice(start, position + REACH))
  const segment = segments.containing(position - start - (isForward ? 0 : 1))
  if (segment === undefined) return position
  return start + segment.index + (isForward ? segment.segment.length : 0)
}
