import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../src/panes/diff-section.js'

describe('rowsOf', () => {
  it('pairs removed lines with the added lines that follow them', () => {
    expect(
      rowsOf([
        { side: 'both', text: 'a' },
        { side: 'before', text: 'b' },
        { side: 'before', text: 'c' },
        { side: 'after', text: 'd' },
        { side: 'both', text: 'e' },
        { side: 'after', text: 'f' },
      ]),
    ).toEqual([{ both: 'a' }, { before: 'b', after: 'd' }, { before: 'c' }, { both: 'e' }, { after: 'f' }])
  })
})
