import { describe, expect, it } from 'vitest'
import { createDiffRows } from '../../src/panes/diff-section.js'

describe('createDiffRows', () => {
  it('pairs each removed line with the added line that replaces it', () => {
    expect(
      createDiffRows([
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
