import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/replacements/sha256.js'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('sha256 returns the hash of the standard for "abc"', () => {
  expect(hex(sha256(new TextEncoder().encode('abc')))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('sha256 equals the hash of OpenSSL at every length up to three blocks', () => {
  for (let length = 0; length <= 192; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 151 + length) & 255)
    expect(hex(sha256(bytes)), `${length} bytes`).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
})

test('sha256 equals the hash of OpenSSL for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'))
    }),
  )
})
