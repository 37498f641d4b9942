import { hash16 } from '../internal/hash.js'
import { serializeValue } from '../internal/plain-data.js'
import type { Resources } from './resource.js'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The digest of an empty state. */
export const EMPTY_STATE_DIGEST: string = 'A'.repeat(16)

/** Returns a digest of a state: 16 base32 characters, independent of the order of its resources and of comments. */
export function digestOf(resources: Resources): string {
  return combineDigests(
    EMPTY_STATE_DIGEST,
    Array.from(resources.values(), ({ id, refs, value }) => hash16(serializeValue({ id, refs, value }))),
    [],
  )
}

/**
 * Adds digests of parts to a digest, or removes them from it. The order of the parts does not matter. Each of the 16
 * digits is a sum modulo 32, so unchanged parts need not be processed.
 */
export function combineDigests(digest: string, added: readonly string[], removed: readonly string[]): string {
  const sums = new Int32Array(16)
  for (const part of [digest, ...added]) for (let at = 0; at < 16; at++) sums[at] = (sums[at] ?? 0) + digitAt(part, at)
  for (const part of removed) for (let at = 0; at < 16; at++) sums[at] = (sums[at] ?? 0) - digitAt(part, at)
  let text = ''
  for (const sum of sums) text += DIGITS[sum & 31]
  return text
}

function digitAt(digest: string, at: number): number {
  const code = digest.charCodeAt(at)
  return code < 65 ? code - 24 : code - 65
}
