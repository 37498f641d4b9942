import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../compiler/test/support/any-text.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { decodeRequestHash, encodeRequestHash } from '../../src/question/permalink.js'
import {
  DEFAULT_REQUEST,
  type PlaygroundRequest,
  pickChangedFields,
  toPlaygroundRequest,
} from '../../src/question/playground-request.js'

/**
 * Generates any request: texts with all valid characters. It excludes lone surrogates, because they have no UTF-8 form.
 */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  format: ['restore', 'save', 'listing'],
  through: ['rules', 'dump'],
  pane: ['rules', 'change', 'comparison', 'dump'],
}

const question: fc.Arbitrary<PlaygroundRequest> = fc.record(
  Object.fromEntries(
    Object.entries(DEFAULT_REQUEST).map(([name, usual]) => [
      name,
      CHOICES[name] !== undefined
        ? fc.constantFrom(...CHOICES[name])
        : typeof usual === 'boolean'
          ? fc.boolean()
          : fc.oneof(anyText(), fc.constant(usual)),
    ]),
  ),
) as unknown as fc.Arbitrary<PlaygroundRequest>

describe('a permalink', () => {
  it('restores every state of the page', async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const hash = await encodeRequestHash(asked)
        expect(hash).toMatch(/^#q=[\w-]+$/)
        expect(await decodeRequestHash(hash)).toEqual(asked)
      }),
    )
  })

  it('is short if only a few settings differ from the defaults', async () => {
    expect(await encodeRequestHash(DEFAULT_REQUEST)).toBe('#q=q64FAA')
    expect(pickChangedFields({ ...DEFAULT_REQUEST, mode: 'ipvs' })).toEqual({ mode: 'ipvs' })
  })

  it('is ignored if it is invalid', async () => {
    for (const hash of ['', '#', '#q=', '#q=!', '#q=AAAA', '#other', '#q=q64FA']) {
      expect(await decodeRequestHash(hash), hash).toBeUndefined()
    }
  })

  it('never throws for an arbitrary hash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'abcXYZ019-_#q=') }), async (text) => {
        const read = await decodeRequestHash(`#q=${text}`)
        expect(read === undefined || typeof read.objects === 'string').toBe(true)
      }),
    )
  })

  it('always has a known value for each choice', () => {
    const inherited = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'isPrototypeOf']
    const value = fc.oneof(fc.constantFrom(...inherited), fc.string(), fc.integer(), fc.constant(null))
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(CHOICES), ...inherited), value)
    let drawn = 0
    fc.assert(
      fc.property(fields, (given) => {
        drawn += Object.values(given).filter((each) => inherited.includes(String(each))).length
        const { format, through, pane } = toPlaygroundRequest(given)
        for (const [name, each] of Object.entries({ format, through, pane })) expect(CHOICES[name]).toContain(each)
      }),
      { numRuns: runs(10_000) },
    )
    expect(drawn).toBeGreaterThan(1_000)
  })

  it('ignores fields with unknown names or wrong types', () => {
    expect(toPlaygroundRequest({ objects: 3, mode: 'ipvs', assign: 'yes', toString: 'x', other: 'y' })).toEqual({
      ...DEFAULT_REQUEST,
      mode: 'ipvs',
    })
    expect(toPlaygroundRequest(null)).toEqual(DEFAULT_REQUEST)
    expect(toPlaygroundRequest('x')).toEqual(DEFAULT_REQUEST)
  })
})
