import { assert, constant, constantFrom, oneof, property, record, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyChangedFields, findChangedFields } from '../../src/engine/changed-fields.js'

const LONG = 'apiVersion: v1\n'.repeat(1000)

describe('findChangedFields', () => {
  it('returns only the edited part of a text', () => {
    const changes = findChangedFields({ objects: `${LONG}a${LONG}` }, { objects: `${LONG}b${LONG}` })
    expect(changes).toEqual({ values: {}, edits: { objects: { from: LONG.length, to: LONG.length + 1, insert: 'b' } } })
  })

  it('leaves out equal fields', () => {
    const before = { names: ['a'], view: [{ text: 'x', children: [] }], lines: { a: [1] } }
    expect(findChangedFields(before, structuredClone(before))).toEqual({ values: {}, edits: {} })
    expect(applyChangedFields(before, findChangedFields(before, structuredClone(before)))).toHaveProperty(
      'names',
      before.names,
    )
  })
})

describe('applyChangedFields', () => {
  it('turns the earlier object into the later object', () => {
    const text = oneof(
      string(),
      string().map((each) => `${LONG}${each}${LONG}`),
    )
    const value = oneof(
      text,
      constantFrom([1, 2], [], [{ a: 1 }], [{ a: 2, b: [] }], true, undefined),
      constant(new Uint16Array(2)),
    )
    const object = record({ text, other: value, optional: value }, { requiredKeys: ['text'] })
    assert(
      property(object, object, (before, after) => {
        const restored = applyChangedFields(before, structuredClone(findChangedFields(before, after)))
        expect(restored).toEqual({ ...after })
        expect(applyChangedFields(undefined, findChangedFields(undefined, after))).toEqual(after)
      }),
    )
  })
})
