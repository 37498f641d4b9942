import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines } from '../../src/engine/diff-lines.js'

const SIGNS = { before: '-', after: '+', both: ' ' } as const

function diffText(before: string, after: string): string {
  return diffLines(before, after)
    .map(({ side, text }) => SIGNS[side] + text)
    .join('\n')
}

/** Returns the length of the longest list of lines that both texts have in the same order. */
function lengthOfCommonLines([a, ...before]: readonly string[], [b, ...after]: readonly string[]): number {
  if (a === undefined || b === undefined) return 0
  if (a === b) return 1 + lengthOfCommonLines(before, after)
  return Math.max(lengthOfCommonLines(before, [b, ...after]), lengthOfCommonLines([a, ...before], after))
}

describe('diffLines', () => {
  it('returns removed and added lines together with their context', () => {
    expect(diffText('a\nb\nc\nd\ne', 'a\nb\nC\nd\ne')).toBe(' a\n b\n-c\n+C\n d\n e')
    expect(diffText('1\n2\n3\nx\n4\n5\n6\n7\n8\ny\n9', '1\n2\n3\n4\n5\n6\n7\n8\n9')).toBe(
      ' 2\n 3\n-x\n 4\n 5\n …\n 7\n 8\n-y\n 9',
    )
  })

  it('returns nothing for equal texts', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([])
  })

  it('returns all lines as removed and added if the texts are large', () => {
    const many = (sign: string) => Array.from({ length: 3000 }, (_, index) => sign + index).join('\n')
    expect(diffLines(many('a'), many('b')).map(({ side }) => side)).toEqual([
      ...Array.from({ length: 3000 }, () => 'before'),
      ...Array.from({ length: 3000 }, () => 'after'),
    ])
  })

  it('finds the shortest edit', () => {
    expect(diffText('a\nb\nc\na\nb\nb\na', 'c\nb\na\nb\na\nc')).toBe('-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c')
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const edits = diffLines(before.join('\n'), after.join('\n')).filter(({ side }) => side !== 'both')
        expect(edits).toHaveLength(before.length + after.length - 2 * lengthOfCommonLines(before, after))
      }),
    )
  })

  it('returns lines that transform one text into the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 5 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        // Short enough that the diff omits lines only before the first change and after the last.
        const lines = diffLines(before, after)
        const of = (side: string) => lines.filter((each) => each.side !== side).map((each) => each.text)
        if (lines.length === 0) expect(before).toBe(after)
        else if (!lines.some(({ text: line }) => line === '…')) {
          expect(`\n${before}\n`).toContain(`\n${of('after').join('\n')}\n`)
          expect(`\n${after}\n`).toContain(`\n${of('before').join('\n')}\n`)
        }
      }),
    )
  })
})
