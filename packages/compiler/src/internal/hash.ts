import { sha256Hex } from '#sha256'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Every pair of base32 digits, so that ten bits become text in one look-up. */
const PAIRS: readonly string[] = [...ALPHABET].flatMap((first) => [...ALPHABET].map((second) => first + second))

/**
 * The first 16 characters of the RFC 4648 base32 (A to Z, 2 to 7) of the SHA-256 of `text`: 80 of its bits.
 * Mirrors the hash of `portProtoHash` and `servicePortEndpointChainName` in kube-proxy v1.30.
 */
export function hash16(text: string): string {
  const hex = sha256Hex(text)
  return fourDigits(hex, 0) + fourDigits(hex, 5) + fourDigits(hex, 10) + fourDigits(hex, 15)
}

/** Five hexadecimal digits are 20 bits, which are four base32 digits. */
function fourDigits(hex: string, from: number): string {
  let bits = 0
  for (let index = from; index < from + 5; index++) bits = bits * 16 + hexValue(hex.charCodeAt(index))
  return `${PAIRS[bits >> 10]}${PAIRS[bits & 1023]}`
}

function hexValue(code: number): number {
  return code < 97 ? code - 48 : code - 87
}
