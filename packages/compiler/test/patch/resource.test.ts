import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDeepEqual, serializeValue } from '../../src/internal/plain-data.js'
import { areResourcesEqual } from '../../src/patch/resource.js'

describe('isDeepEqual and serializeValue', () => {
  it.each([
    [1, 1],
    [[], []],
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [{ a: undefined }, {}],
    [{}, { a: undefined }],
    [{ toString: undefined }, {}],
  ])('treat %j and %j as equal', (a, b) => {
    expect(isDeepEqual(a, b)).toBe(true)
    expect(serializeValue(a)).toBe(serializeValue(b))
  })

  it.each([
    [1, '1'],
    [null, {}],
    [[], {}],
    [{}, []],
    [[1], [1, 1]],
    [
      [1, 2],
      [2, 1],
    ],
    [
      [1, 23],
      [12, 3],
    ],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{}, { constructor: 1 }],
    [{ constructor: 1 }, {}],
    [JSON.parse('{"__proto__":{}}'), {}],
  ])('treat %j and %j as different', (a, b) => {
    expect(isDeepEqual(a, b)).toBe(false)
    expect(serializeValue(a)).not.toBe(serializeValue(b))
  })

  it('treat arbitrary pairs of JSON values consistently', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(isDeepEqual(a, structuredClone(a))).toBe(true)
        expect(isDeepEqual(a, b)).toBe(serializeValue(a) === serializeValue(b))
      }),
    )
  })
})

describe('isDeepEqual', () => {
  it('ignores enumerable properties of Object.prototype', () => {
    const pollution: Record<string, unknown> = Object.prototype as never
    const compared = [
      isDeepEqual.bind(undefined, { a: 1 }, { a: 1 }),
      isDeepEqual.bind(undefined, { a: 1, extra: 1 }, { a: 1, extra: 1 }),
      isDeepEqual.bind(undefined, { a: 1, extra: 1 }, { a: 1 }),
      isDeepEqual.bind(undefined, { a: 1 }, { a: 1, extra: 1 }),
    ]
    pollution.extra = 1
    const results = compared.map((compare) => compare())
    delete pollution.extra
    expect(results).toEqual([true, true, false, false])
  })
})

describe('areResourcesEqual', () => {
  const resource = { id: 'a', refs: ['b'], value: [1] }

  it('compares the id, the references and the value', () => {
    expect(areResourcesEqual(resource, resource)).toBe(true)
    expect(areResourcesEqual(resource, structuredClone(resource))).toBe(true)
    expect(areResourcesEqual(resource, { ...resource, id: 'c' })).toBe(false)
    expect(areResourcesEqual(resource, { ...resource, refs: [] })).toBe(false)
    expect(areResourcesEqual(resource, { ...resource, value: [2] })).toBe(false)
  })
})
