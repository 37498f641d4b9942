import { hash } from 'node:crypto'

/** Returns the SHA-256 hash of the UTF-8 bytes of `text` as 32 characters, one character per byte. */
export function sha256Latin1(text: string): string {
  return hash('sha256', text, 'latin1')
}
