import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../src/panes/diff-section.js'

describe('rowsOf', () => {
  it('pairs each removed line with the added line that replaces it', () => {
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
