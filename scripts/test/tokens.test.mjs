import { describe, expect, it } from 'vitest'
import { tokensOf } from '../language/tokens.mjs'

const texts = (source, kind) => tokensOf(source).flatMap((token) => (token.kind === kind ? [token.text] : []))

describe('tokensOf', () => {
  it('returns comments and strings with their positions', () => {
    expect(tokensOf("const a = 'b' // c")).toEqual([
      { kind: 'string', text: 'b', start: 10, end: 13 },
      { kind: 'comment', text: '// c', start: 14, end: 18 },
    ])
  })

  it.each([
    ["x = 'it\\'s'", ["it\\'s"]],
    ['x = "a // b"', ['a // b']],
    ['x = `a\nb`', ['a\nb']],
    ['x = `a \\` b`', ['a \\` b']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template
    ["x = `a ${f('b')} c`", ['b', 'a … c']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template
    ["x = `a ${{ b: `c ${'d'}` }.b} e`; y = 'f'", ['d', 'c …', 'a … e', 'f']],
  ])('returns the strings in %s', (source, strings) => {
    expect(texts(source, 'string')).toEqual(strings)
  })

  it.each([
    ["a.replace(/'/g, 'b')", ['b']],
    ["const r = /[/']/; x('b')", ['b']],
    ["return /\\/'/.test(x('b'))", ['b']],
    ["// c\n/'/.test('b')", ['b']],
  ])('skips the regular expression in %s', (source, strings) => {
    expect(texts(source, 'string')).toEqual(strings)
  })

  it.each(["x = a / 2 + '/'", "x = f(a) / 2 + '/'", "x = 'a' / 2 + '/'", "x = /a/ / 2 + '/'", "x = a[0] / 2 + '/'"])(
    'reads the slash in %s as a division',
    (source) => {
      expect(texts(source, 'string').at(-1)).toBe('/')
    },
  )

  it('returns a block comment or docstring as one token', () => {
    expect(texts("/** a\n * 'b' */ f /* c */ // d 'e'\n", 'comment')).toEqual([
      "/** a\n * 'b' */",
      '/* c */',
      "// d 'e'",
    ])
  })
})
