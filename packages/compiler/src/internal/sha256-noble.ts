import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/** Returns the SHA-256 hash of the UTF-8 bytes of `text` as 32 characters, one character per byte. */
export function sha256Latin1(text: string): string {
  return String.fromCharCode(...sha256(utf8ToBytes(text)))
}
