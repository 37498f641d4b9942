import { hash } from 'node:crypto'

/** Returns the SHA-256 of the UTF-8 bytes of `text`: 32 characters, one per byte. */
export function sha256Latin1(text: string): string {
  return hash('sha256', text, 'latin1')
}
