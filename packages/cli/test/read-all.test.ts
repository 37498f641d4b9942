import { describe, expect, it } from 'vitest'
import { MAX_INPUT_BYTES, readToEnd } from '../src/process-context.js'

const MIB = 2 ** 20

async function* zeros(count = Number.POSITIVE_INFINITY, onChunk = () => {}) {
  for (let index = 0; index < count; index++) {
    onChunk()
    yield new Uint8Array(MIB)
  }
}

describe('readToEnd', () => {
  it('returns the whole content of the stream', async () => {
    async function* chunks() {
      yield Uint8Array.of(1, 2)
      yield new Uint8Array()
      yield Uint8Array.of(3)
    }
    expect([...(await readToEnd(chunks()))]).toEqual([1, 2, 3])
    expect((await readToEnd(zeros(0))).length).toBe(0)
    expect((await readToEnd(zeros(4), 4 * MIB)).length).toBe(4 * MIB)
  })

  it('stops at the limit of an endless stream', async () => {
    let count = 0
    const endless = zeros(undefined, () => count++)
    await expect(readToEnd(endless, 4 * MIB)).rejects.toThrow(/^longer than the limit of 4 MiB$/)
    expect(count).toBe(5)
  })

  it('has a limit below the maximum length of a string', () => {
    expect(MAX_INPUT_BYTES).toBeLessThan(2 ** 29 - 24)
  })
})
