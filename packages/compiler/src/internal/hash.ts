import { sha256Latin1 } from '#sha256'

/** The character codes of the base32 digits in RFC 4648. */
const DIGITS: readonly number[] = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', (digit) => digit.charCodeAt(0))

/**
 * Returns the first 16 characters of the base32 form (RFC 4648, A to Z and 2 to 7) of the SHA-256 hash of a text. These
 * characters contain 80 bits of the hash. Mirrors the hash of `portProtoHash` and `servicePortEndpointChainName` in
 * kube-proxy v1.30.
 */
export const hash16: (text: string) => string = createPrefixedHash('', 16)

/**
 * Returns the first 8 characters of `hash16`, which contain 40 bits of the hash. Mirrors `hashAndTruncate` of the
 * nftables proxier in kube-proxy v1.30.
 */
export const hash8: (text: string) => string = createPrefixedHash('', 8)

/**
 * Creates a function that returns `prefix`, followed by the first `count` characters of `hash16`. `prefix` must be
 * ASCII.
 */
export function createPrefixedHash(prefix: string, count: number): (text: string) => string {
  // Names are created in one piece from a reused array. In contrast, a string built with `+` retains its pieces, which
  // takes more memory for 100,000 names.
  const codes = Array.from(prefix.padEnd(prefix.length + count), (character) => character.charCodeAt(0))
  return (text) => {
    const bytes = sha256Latin1(text)
    for (let index = 0; index < count; index++) codes[prefix.length + index] = digitAt(bytes, index)
    return String.fromCharCode(...codes)
  }
}

/** Returns the character code of a digit. The five bits of the digit come from one or two bytes. */
function digitAt(bytes: string, index: number): number {
  const bit = 5 * index
  const byte = bit >> 3
  const twoBytes = (bytes.charCodeAt(byte) << 8) | bytes.charCodeAt(byte + 1)
  return DIGITS[(twoBytes >> (11 - (bit & 7))) & 31] as number
}
