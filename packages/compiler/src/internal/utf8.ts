/** Returns the longest prefix of `text` that has at most `limit` bytes in UTF-8 and contains only whole characters. */
export function truncateUtf8(text: string, limit: number): string {
  // Fast path: nearly all strings are too short to need an exact byte count.
  if (text.length * 3 <= limit) return text
  let bytes = 0
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index) as number
    bytes += bytesOf(code)
    if (bytes > limit) return text.slice(0, index)
    index += code < 0x10000 ? 1 : 2
  }
  return text
}

/** Reports whether `text` has more than `limit` bytes in UTF-8. */
export function exceedsUtf8Length(text: string, limit: number): boolean {
  return truncateUtf8(text, limit).length < text.length
}

/** Returns the number of UTF-8 bytes of a code point. A lone surrogate counts as the replacement character. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
