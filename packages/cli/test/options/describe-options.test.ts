import { describe, expect, it } from 'vitest'
import { describeOptions, formatTable } from '../../src/options/option.js'

describe('describeOptions', () => {
  it('aligns descriptions, and prints letters, placeholders and choices', () => {
    const text = describeOptions({
      filename: { type: 'string', short: 'f', placeholder: 'FILE', description: 'Objects.\nSecond line.' },
      mode: { type: 'string', choices: ['a', 'b'], description: 'Mode.' },
      node: { type: 'string', description: 'Node.' },
      strict: { type: 'boolean', description: 'Strict.' },
    })
    expect(text).toBe(
      [
        '  -f, --filename FILE  Objects.',
        '                       Second line.',
        '      --mode a|b       Mode.',
        '      --node VALUE     Node.',
        '      --strict         Strict.',
        '',
      ].join('\n'),
    )
  })
})

describe('formatTable', () => {
  it('makes the first column as wide as its longest entry', () => {
    expect(
      formatTable([
        ['a', 'one'],
        ['bbb', 'two'],
      ]),
    ).toBe('  a    one\n  bbb  two\n')
  })
})
