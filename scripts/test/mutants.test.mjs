import { describe, expect, it } from 'vitest'
import { drawMutants, keyOf } from '../mutants/draw-mutants.mjs'
import { findMutants, isValid } from '../mutants/find-mutants.mjs'
import { mirrorOf } from '../mutants/related-tests.mjs'
import { createTestOrder } from '../mutants/test-order.mjs'

/** Returns the mutated sources of each mutation of a kind. */
const become = (source, kind) => findMutants(source).flatMap((mutant) => (mutant.kind === kind ? [mutant.text] : []))

describe('findMutants', () => {
  it.each([
    ['condition', 'if (a) b(); else c()', ['if (!(a)) b(); else c()']],
    ['condition', 'x = a ? 1 : 2', ['x = !(a) ? 1 : 2']],
    ['condition', 'x = !a', ['x = a']],
    ['condition', 'x = a === b', ['x = a !== b']],
    ['condition', 'x = true', ['x = false']],
    ['bound', 'x = a < b', ['x = a <= b']],
    ['bound', 'x = [7]', ['x = [8]']],
    ['bound', 'x = /^a$/i', ['x = /a$/i', 'x = /^a/i']],
    ['operand', 'x = a - b', ['x = b - a']],
    ['operand', 'x = a && b', ['x = a', 'x = b', 'x = ((a) || (b))']],
    ['operand', 'x = a ?? b', ['x = a', 'x = b']],
    ['operand', 'f(a, b, c)', ['f(b, a, c)']],
    ['operand', 'x = list.filter(f)', ['x = list']],
    ['operand', 'x = list.some(f)', ['x = list.every(f)']],
    ['operand', 'x = { ...a, b }', ['x = { b, ...a }']],
    ['element', 'x = [a, b]', ['x = [b]', 'x = [a]']],
    ['element', 'x = { a: 1 }', ['x = {  }']],
    ['string', "x = 'a'", ["x = 'a~'"]],
    ['string', 'x = `a`', ['x = `a~`']],
    ['statement', 'f()', ['{}']],
    ['statement', 'for (const a of b) f(a)', ['{}', 'for (const a of b) {}']],
    [
      'return',
      'function f() { if (a) return\n b() }',
      ['function f() { if (true) return; if (a) return\n b() }', 'function f() { {}\n b() }'],
    ],
  ])('returns the mutants of kind %s in "%s"', (kind, source, mutanty) => {
    expect(become(source, kind)).toEqual(mutanty)
  })

  it('ignores types, and messages that a correct program never prints', () => {
    const silent = [
      "import { a } from 'a'",
      "export * from 'a'",
      "type T = 'a' | 1",
      'interface I { readonly a: 1 }',
      "const x: Record<'a', 1> = y",
      "function f(): never { throw new Error('a') }",
      "invariant(x, 'a')",
    ]
    for (const source of silent) expect(findMutants(source).filter(({ kind }) => kind === 'string')).toEqual([])
  })

  it('finds mutants in expressions within type assertions', () => {
    expect(become("x = 'a' as const", 'string')).toEqual(["x = 'a~' as const"])
    expect(become('x = (a < b)!', 'bound')).toEqual(['x = (a <= b)!'])
  })

  it('returns the line, the enclosing functions and the change of each mutant', () => {
    const source = "// – …\nfunction outer() {\n  const inner = f(\n    'ü',\n    1,\n  )\n  return inner\n}\n"
    expect(findMutants(source).map(({ text, ...mutant }) => mutant)).toEqual(
      expect.arrayContaining([
        { kind: 'string', line: 4, within: 'outer > inner', before: "'ü',", after: "'ü~'," },
        { kind: 'operand', line: 4, within: 'outer > inner', before: "'ü', 1,", after: "1, 'ü'," },
      ]),
    )
  })

  it('marks mutants with invalid syntax', () => {
    const mutants = findMutants('x = (a ?? b) && c\n')
    expect(mutants.filter((mutant) => !isValid(mutant)).map(({ after }) => after)).toEqual([])
    expect(isValid({ text: 'x = (' })).toBe(false)
  })
})

describe('drawMutants', () => {
  const source = "f('a', 1)\nif (b < 2) g([c, 'd'])\n"
  const mutants = findMutants(source).map((mutant) => ({ file: 'a.ts', ...mutant }))
  const draw = (all, seed) => drawMutants(all, seed).map(keyOf)

  it('returns all mutants, and starts with one mutant of each kind', () => {
    expect(draw(mutants, '1').toSorted()).toEqual(mutants.map(keyOf).toSorted())
    const kinds = drawMutants(mutants, '1').map(({ kind }) => kind)
    const different = new Set(kinds).size
    expect(new Set(kinds.slice(0, different)).size).toBe(different)
  })

  it('returns the same mutants for the same seed, regardless of other mutants', () => {
    expect(draw(mutants.toReversed(), '1')).toEqual(draw(mutants, '1'))
    expect(draw(mutants, '2')).not.toEqual(draw(mutants, '1'))
    const fewer = mutants.filter(({ kind }) => kind !== 'string')
    const isKept = (key) => fewer.some((mutant) => keyOf(mutant) === key)
    expect(draw(fewer, '1')).toEqual(draw(mutants, '1').filter(isKept))
  })
})

describe('the order of tests for a mutant', () => {
  const SOURCE = 'packages/a/src/x/one.ts'
  const test = (file, distance, generated = false) => ({ file, imports: new Map([[SOURCE, distance]]), generated })
  const tests = [
    test('packages/a/test/far.test.ts', 3),
    test('packages/a/test/properties.test.ts', 3, true),
    test('packages/a/test/x/properties.test.ts', 2, true),
    test('packages/a/test/y/near.test.ts', 1),
    { file: 'packages/a/test/other.test.ts', imports: new Map(), generated: false },
    test('packages/a/test/x/one.test.ts', 1),
  ]

  it('starts with the test of the mutated file and ends with distant property tests', () => {
    expect(mirrorOf(SOURCE)).toBe('packages/a/test/x/one.test.ts')
    expect(createTestOrder(tests).testsFor(SOURCE)).toEqual({
      first: ['x/one', 'y/near', 'x/properties', 'far'].map((name) => `packages/a/test/${name}.test.ts`),
      rest: ['packages/a/test/properties.test.ts'],
    })
  })

  it('moves tests forward if they found mutants before, and slow tests back', () => {
    const order = createTestOrder([test('a.test.ts', 3), test('b.test.ts', 3), test('c.test.ts', 3)])
    order.record('a.test.ts', { found: false, seconds: 1 })
    order.record('b.test.ts', { found: false, seconds: 0.1 })
    order.record('c.test.ts', { found: true, seconds: 0.1 })
    expect(order.testsFor(SOURCE).first).toEqual(['c.test.ts', 'b.test.ts', 'a.test.ts'])
  })
})
