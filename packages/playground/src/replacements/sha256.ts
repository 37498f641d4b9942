/**
 * Returns the SHA-256 hash of bytes, as `sha256` of `@noble/hashes` does. Replaces that library in the page, because it is
 * a third as long. The hash of the browser (`crypto.subtle`) is asynchronous, and missing on pages without TLS.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.from(FIRST_PRIMES.slice(0, 8), (prime) => fractionOf(prime ** (1 / 2)))
  const padded = pad(bytes)
  for (let start = 0; start < padded.byteLength; start += 64) addBlock(state, new DataView(padded.buffer, start, 64))
  const hash = new DataView(new ArrayBuffer(32))
  for (const [index, word] of state.entries()) hash.setInt32(index * 4, word)
  return new Uint8Array(hash.buffer)
}

const FIRST_PRIMES: readonly number[] = primes(64)
const ROUND_CONSTANTS: Int32Array = Int32Array.from(FIRST_PRIMES, (prime) => fractionOf(Math.cbrt(prime)))

function primes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}

/** Returns the first 32 bits of the fraction. */
function fractionOf(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) >>> 0
}

/** Appends a bit, zeros and the length in bits, so that the length is a multiple of 64 bytes. */
function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, bytes.length << 3)
  return padded
}

function addBlock(state: Int32Array, block: DataView): void {
  const words = new Int32Array(64)
  for (let round = 0; round < 64; round++) {
    words[round] = round < 16 ? block.getInt32(round * 4) : nextWord(words, round)
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let round = 0; round < 64; round++) {
    const high = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
    const low = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    const sum = (h + high + wordAt(ROUND_CONSTANTS, round) + wordAt(words, round)) | 0
    h = g
    g = f
    f = e
    e = (d + sum) | 0
    d = c
    c = b
    b = a
    a = (sum + low) | 0
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = wordAt(state, index) + value
}

function nextWord(words: Int32Array, round: number): number {
  const second = wordAt(words, round - 2)
  const fifteenth = wordAt(words, round - 15)
  const low = rotate(fifteenth, 7) ^ rotate(fifteenth, 18) ^ (fifteenth >>> 3)
  const high = rotate(second, 17) ^ rotate(second, 19) ^ (second >>> 10)
  return wordAt(words, round - 16) + low + wordAt(words, round - 7) + high
}

function wordAt(words: Int32Array, index: number): number {
  return words[index] ?? 0
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}
