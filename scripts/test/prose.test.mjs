import { describe, expect, it } from 'vitest'
import { commentsOf, inner, paragraphsOf } from '../language/prose.mjs'

describe('paragraphsOf', () => {
  it('joins the lines of a paragraph, and separates paragraphs and list items', () => {
    const markdown = [
      'A paragraph has at least eight words,',
      'on two lines.',
      '',
      '- one item of a list that is long enough',
      '- another item of a list, with `a code` in it',
      '',
    ]
    expect(paragraphsOf(markdown.join('\n'))).toEqual([
      { text: 'A paragraph has at least eight words, on two lines.', line: 1 },
      { text: '- one item of a list that is long enough', line: 4 },
      { text: '- another item of a list, with x in it', line: 5 },
    ])
  })

  it.each([
    ['front matter', '---\na: one two three four five six seven eight\n---\n'],
    ['a heading', '# one two three four five six seven eight'],
    ['a table', '| one two three four | five six seven eight |'],
    ['a code block', '```\none two three four five six seven eight\n```'],
    ['an indented code block', '    one two three four five six seven eight'],
    ['a short line', 'one two three four five six seven'],
  ])('excludes %s', (_, markdown) => {
    expect(paragraphsOf(markdown)).toEqual([])
  })

  it('returns the line of a paragraph that follows a code block', () => {
    const [paragraph] = paragraphsOf('```\ncode\n```\n\none two three four five six seven eight')
    expect(paragraph.line).toBe(5)
  })
})

describe('commentsOf', () => {
  it('joins adjacent line comments', () => {
    expect(commentsOf('  // one two\n  // three four\n\n  // five six seven eight\n')).toEqual([
      { text: 'one two three four', line: 1 },
      { text: 'five six seven eight', line: 4 },
    ])
  })

  it('returns the text of a docstring as one line', () => {
    expect(commentsOf('/**\n * Returns the rules of `a`.\n * Throws if none.\n */')).toEqual([
      { text: 'Returns the rules of x. Throws if none.', line: 1 },
    ])
  })

  it('excludes short comments and instructions to tools', () => {
    expect(commentsOf('// one two three\n/* one */\n// biome-ignore lint/a: one two three\n')).toEqual([])
  })

  it('excludes comments in strings', () => {
    expect(commentsOf("x = '// one two three four'")).toEqual([])
  })
})

describe('inner', () => {
  it('removes the code blocks of a docstring', () => {
    expect(inner('/**\n * One.\n * ```ts\n * two()\n * ```\n */')).toBe('One.')
  })
})
