import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashOf, questionOfHash } from '../../src/question/permalink.js'
import { changedFields, NO_QUESTION, type Question, questionOf } from '../../src/question/question.js'

/**
 * Generates any request: texts with all valid characters. It excludes lone surrogates, because they have no UTF-8 form.
 */
const question: fc.Arbitrary<Question> = fc.record(
  Object.fromEntries(
    Object.entries(NO_QUESTION).map(([name, usual]) => [
      name,
      typeof usual === 'boolean' ? fc.boolean() : fc.oneof(fc.string({ unit: 'binary' }), fc.constant(usual)),
    ]),
  ),
) as unknown as fc.Arbitrary<Question>

describe('a permalink', () => {
  it('contains any question', async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const hash = await hashOf(asked)
        expect(hash).toMatch(/^#q=[\w-]+$/)
        expect(await questionOfHash(hash)).toEqual(asked)
      }),
    )
  })

  it('is short for few settings', async () => {
    expect(await hashOf(NO_QUESTION)).toBe('#q=q64FAA')
    expect(changedFields({ ...NO_QUESTION, mode: 'ipvs' })).toEqual({ mode: 'ipvs' })
  })

  it('is ignored if it is invalid', async () => {
    for (const hash of ['', '#', '#q=', '#q=!', '#q=AAAA', '#other', '#q=q64FA']) {
      expect(await questionOfHash(hash), hash).toBeUndefined()
    }
  })

  it('accepts any text as a hash without throwing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'abcXYZ019-_#q=') }), async (text) => {
        const read = await questionOfHash(`#q=${text}`)
        expect(read === undefined || typeof read.objects === 'string').toBe(true)
      }),
    )
  })

  it('ignores fields of other types or names', () => {
    expect(questionOf({ objects: 3, mode: 'ipvs', assign: 'yes', toString: 'x', other: 'y' })).toEqual({
      ...NO_QUESTION,
      mode: 'ipvs',
    })
    expect(questionOf(null)).toEqual(NO_QUESTION)
    expect(questionOf('x')).toEqual(NO_QUESTION)
  })
})
