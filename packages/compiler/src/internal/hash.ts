import { sha256Latin1 } from '#sha256'

/** The base32 digits of RFC 4648, as character codes. */
const DIGITS: readonly number[] = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', (digit) => digit.charCodeAt(0))

/**
 * `prefix`, which is ASCII, and the first 16 characters of the RFC 4648 base32 (A to Z, 2 to 7) of the SHA-256 of `text`: 80 of
 * its bits. Mirrors the hash of `portProtoHash` and `servicePortEndpointChainName` in kube-proxy v1.30.
 */
export function hash16(text: string, prefix = ''): string {
  return hashOf(text, prefix, 10)
}

/** The first 8 of these characters: 40 bits. Mirrors `hashAndTruncate` of the nftables proxier of kube-proxy v1.30. */
export function hash8(text: string): string {
  return hashOf(text, '', 5)
}

function hashOf(text: string, prefix: string, byteCount: number): string {
  const bytes = sha256Latin1(text)
  const codes: number[] = []
  for (let index = 0; index < prefix.length; index++) codes.push(prefix.charCodeAt(index))
  for (let at = 0; at < byteCount; at += 5) pushDigits(codes, bytes, at)
  // Made in one piece: text that is put together with `+` keeps its pieces, and there are 100,000 names.
  return String.fromCharCode(...codes)
}

/** Five bytes are 40 bits, which are eight digits; a number holds 32 bits, so that the first two come by themselves. */
function pushDigits(codes: number[], bytes: string, at: number): void {
  const byte = (index: number) => bytes.charCodeAt(at + index)
  const first = (byte(0) << 2) | (byte(1) >> 6)
  const rest = ((byte(1) & 63) << 24) | (byte(2) << 16) | (byte(3) << 8) | byte(4)
  pushDigit(codes, first >> 5)
  pushDigit(codes, first)
  for (let shift = 25; shift >= 0; shift -= 5) pushDigit(codes, rest >> shift)
}

function pushDigit(codes: number[], bits: number): void {
  codes.push(DIGITS[bits & 31] as number)
}
