import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { DiagnosticsError } from '../diagnostic.js'

/** A range of numbers that represent addresses or ports. */
export interface AllocationPool {
  /** The name for messages. */
  readonly name: string
  readonly size: number
  /** Returns the address or port of a number from 0 to `size` - 1. */
  readonly textOf: (number: number) => string
}

/**
 * Assigns to each key an entry of the pool that is not in `unavailable`.
 *
 * The hash of the key selects the entry. If this entry is already in use, the key gets the next free entry. If two keys
 * have the same hash, the key that is later in sort order gets the next free entry. A new key therefore changes the
 * entry of another key only if their hashes collide.
 *
 * @throws DiagnosticsError (`invalidValue`) if the pool has too few entries.
 */
export function allocateFromPool(
  keys: readonly string[],
  pool: AllocationPool,
  unavailable: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const used = new Set(unavailable)
  const sorted = [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1))
  return new Map(
    sorted.map((key) => {
      const text = firstFree(key, pool, used)
      used.add(text)
      return [key, text]
    }),
  )
}

function firstFree(key: string, { name, size, textOf }: AllocationPool, used: ReadonlySet<string>): string {
  const start = hashText(key)
  for (let step = 0; step < size; step++) {
    const text = textOf((start + step) % size)
    if (!used.has(text)) return text
  }
  const object = { kind: 'Objects', name: '' }
  const message = `the objects need more than the ${size} ${name} that can be assumed`
  throw new DiagnosticsError([{ severity: 'error', code: 'invalidValue', object, message }])
}

/** Returns 32 bits of the SHA-256 of a text. */
function hashText(text: string): number {
  return new DataView(sha256(utf8ToBytes(text)).buffer).getUint32(0)
}
