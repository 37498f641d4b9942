/** Returns the number of bytes of `text` in UTF-8. A lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index++) bytes += unitLength(text, index)
  return bytes
}

/** Returns the longest prefix of `text` that has at most `limit` bytes in UTF-8 and contains only whole characters. */
export function truncateUtf8(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const length = isHighSurrogateOfPair(text, index) ? 4 : unitLength(text, index)
    bytes += isLowSurrogateOfPair(text, index) ? 0 : length
    if (bytes > limit) return text.slice(0, index)
  }
  return text
}

/** Returns the number of UTF-8 bytes of one UTF-16 code unit. Each half of a surrogate pair counts as two bytes. */
function unitLength(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  return isHighSurrogateOfPair(text, index) || isLowSurrogateOfPair(text, index) ? 2 : 3
}

function isHighSurrogateOfPair(text: string, index: number): boolean {
  return isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1))
}

function isLowSurrogateOfPair(text: string, index: number): boolean {
  return index > 0 && isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
