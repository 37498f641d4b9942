import { sha256Latin1 } from '#sha256'

/** The base32 digits of RFC 4648, as character codes. */
const DIGITS: readonly number[] = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', (digit) => digit.charCodeAt(0))

/**
 * Returns the first 16 characters of the RFC 4648 base32 (A to Z, 2 to 7) of the SHA-256 of a text: 80 of its bits.
 * Mirrors the hash of `portProtoHash` and `servicePortEndpointChainName` in kube-proxy v1.30.
 */
export const hash16: (text: string) => string = createPrefixedHash('', 16)

/**
 * Returns the first 8 of these characters: 40 bits. Mirrors `hashAndTruncate` of the nftables proxier of kube-proxy
 * v1.30.
 */
export const hash8: (text: string) => string = createPrefixedHash('', 8)

/** Creates a function that returns `prefix`, which must be ASCII, followed by the first `count` of these characters. */
export function createPrefixedHash(prefix: string, count: number): (text: string) => string {
  // Names are created in one piece from a reused array. A string built with `+` retains its pieces, and there are
  // 100,000 names.
  const codes = Array.from(prefix.padEnd(prefix.length + count), (character) => character.charCodeAt(0))
  return (text) => {
    const bytes = sha256Latin1(text)
    for (let index = 0; index < count; index++) codes[prefix.length + index] = digitAt(bytes, index)
    return String.fromCharCode(...codes)
  }
}

/** Returns a digit: five bits from one byte or two. */
function digitAt(bytes: string, index: number): number {
  const bit = 5 * index
  const byte = bit >> 3
  const twoBytes = (bytes.charCodeAt(byte) << 8) | bytes.charCodeAt(byte + 1)
  return DIGITS[(twoBytes >> (11 - (bit & 7))) & 31] as number
}
