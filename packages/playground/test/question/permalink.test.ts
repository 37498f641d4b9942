import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashOf, questionOfHash } from '../../src/question/permalink.js'
import { NO_QUESTION, type Question, questionOf, saidIn } from '../../src/question/question.js'

/** Any question: texts with whatever characters text may have; a lone surrogate is no text and has no UTF-8. */
const question: fc.Arbitrary<Question> = fc.record(
  Object.fromEntries(
    Object.entries(NO_QUESTION).map(([name, usual]) => [
      name,
      typeof usual === 'boolean' ? fc.boolean() : fc.oneof(fc.string({ unit: 'binary' }), fc.constant(usual)),
    ]),
  ),
) as unknown as fc.Arbitrary<Question>

describe('a permalink', () => {
  it('holds any question', async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const hash = await hashOf(asked)
        expect(hash).toMatch(/^#q=[\w-]+$/)
        expect(await questionOfHash(hash)).toEqual(asked)
      }),
    )
  })

  it('is short where little is said', async () => {
    expect(await hashOf(NO_QUESTION)).toBe('#q=q64FAA')
    expect(saidIn({ ...NO_QUESTION, mode: 'ipvs' })).toEqual({ mode: 'ipvs' })
  })

  it('is nothing where it cannot be read', async () => {
    for (const hash of ['', '#', '#q=', '#q=!', '#q=AAAA', '#other', '#q=q64FA']) {
      expect(await questionOfHash(hash), hash).toBeUndefined()
    }
  })

  it('takes any text for a hash without failing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'abcXYZ019-_#q=') }), async (text) => {
        const read = await questionOfHash(`#q=${text}`)
        expect(read === undefined || typeof read.objects === 'string').toBe(true)
      }),
    )
  })

  it('does not take fields of other types or names', () => {
    expect(questionOf({ objects: 3, mode: 'ipvs', assign: 'yes', toString: 'x', other: 'y' })).toEqual({
      ...NO_QUESTION,
      mode: 'ipvs',
    })
    expect(questionOf(null)).toEqual(NO_QUESTION)
    expect(questionOf('x')).toEqual(NO_QUESTION)
  })
})
