/** Returns the number of bytes of `text` in UTF-8. A lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index) as number
    bytes += bytesOf(code)
    index += unitsOf(code)
  }
  return bytes
}

/** Returns the longest prefix of `text` that has at most `limit` bytes in UTF-8 and contains only whole characters. */
export function truncateUtf8(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text
  let bytes = 0
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index) as number
    bytes += bytesOf(code)
    if (bytes > limit) return text.slice(0, index)
    index += unitsOf(code)
  }
  return text
}

/** Returns the number of UTF-8 bytes of a code point. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

/** Returns the number of UTF-16 code units of a code point. */
function unitsOf(code: number): number {
  return code < 0x10000 ? 1 : 2
}
