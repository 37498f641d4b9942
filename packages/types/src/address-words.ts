const DOT = 46
const ZERO = 48

/**
 * Reports whether `text` is an IPv4 address in canonical dotted decimal: four numbers from 0 to 255, without leading
 * zeros.
 */
export function isCanonicalIpv4(text: string): boolean {
  let part = -1
  let dots = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === DOT && part >= 0) {
      part = -1
      dots++
    } else {
      part = appendDigit(part, code)
      if (part < 0) return false
    }
  }
  return dots === 3 && part >= 0
}

/**
 * Appends a decimal digit to `part`, where -1 means no digit yet. Returns -1 if the result has a leading zero or
 * exceeds 255.
 */
function appendDigit(part: number, code: number): number {
  const digit = code - ZERO
  if (digit < 0 || digit > 9 || part === 0) return -1
  if (part < 0) return digit
  const next = part * 10 + digit
  return next > 255 ? -1 : next
}

/**
 * Parses an address into 16-bit words: two words for dotted decimal, eight words for IPv6. Returns undefined if `text`
 * is not an address. Accepts the same input as `ParseIPSloppy`, including surplus leading zeros.
 */
export function parseAddressWords(text: string): readonly number[] | undefined {
  return text.includes(':') ? readIpv6(text) : readIpv4(text)
}

function readIpv4(text: string): readonly number[] | undefined {
  let firstParts = 0
  let dots = 0
  let part = -1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === DOT) {
      if (part < 0) return undefined
      firstParts = firstParts * 256 + part
      dots++
      part = -1
    } else {
      part = Math.max(part, 0) * 10 + code - ZERO
      if (code < ZERO || code > ZERO + 9 || part > 255) return undefined
    }
  }
  return dots === 3 && part >= 0 ? [firstParts >> 8, (firstParts & 255) * 256 + part] : undefined
}

function readIpv6(text: string): readonly number[] | undefined {
  const halves = text.split('::', 3)
  const last = readGroups(halves[halves.length - 1] ?? '', true)
  if (halves.length === 1) return last?.length === 8 ? last : undefined
  const first = readGroups(halves[0] ?? '', false)
  if (halves.length > 2 || first === undefined || last === undefined) return undefined
  const missing = 8 - first.length - last.length
  return missing < 1 ? undefined : [...first, ...new Array<number>(missing).fill(0), ...last]
}

/**
 * Parses the groups of `a:b:c` into 16-bit words. If `endsAddress` is true, the last group may be an address in dotted
 * decimal.
 */
function readGroups(text: string, endsAddress: boolean): readonly number[] | undefined {
  if (text === '') return []
  const groups = text.split(':', 9)
  const words: number[] = []
  for (const [index, group] of groups.entries()) {
    const ipv4 = endsAddress && index === groups.length - 1 && group.includes('.') ? readIpv4(group) : undefined
    if (ipv4 === undefined && !/^0*[0-9a-f]{1,4}$/i.test(group)) return undefined
    words.push(...(ipv4 ?? [Number.parseInt(group, 16)]))
  }
  return words
}

/** Formats words as canonical address text: dotted decimal for two words, RFC 5952 for eight. */
export function formatAddressWords(words: readonly number[]): string {
  return words.length === 2 ? formatIpv4(words) : formatIpv6(words)
}

function formatIpv4(words: readonly number[]): string {
  const [first = 0, last = 0] = words
  return [first >> 8, first & 255, last >> 8, last & 255].join('.')
}

function formatIpv6(words: readonly number[]): string {
  const groups = words.map((word) => word.toString(16))
  const { start, length } = longestZeroRun(words)
  if (length < 2) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

function longestZeroRun(words: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  let length = 0
  for (const [index, word] of words.entries()) {
    length = word === 0 ? length + 1 : 0
    if (length > best.length) best = { start: index - length + 1, length }
  }
  return best
}
