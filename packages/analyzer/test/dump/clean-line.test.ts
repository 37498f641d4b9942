import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanLine } from '../../src/dump/pasted/clean-line.js'

/** A color, which no line of a tool has. Lines with it take the slow path. */
const COLOR = '\u001b[0m'

/** Lines with the characters of plain tool output, and of decoration. */
const lines = fc
  .tuple(
    fc.constantFrom('-A ', '-a ', '-N ', ':', ''),
    fc.array(
      fc.oneof(
        fc.constantFrom('KUBE-A', '-j', '-d', '10.0.0.1/32', '"a/b:c"', '!', '[0:0]', '-', ' ', '  ', ':', '/', '//'),
        fc.constantFrom('#', '<--', '&gt;', '`', '12:', '-A', '<b>', '|', '\u00a0', '\t', '\u2014'),
      ),
      { maxLength: 8 },
    ),
  )
  .map(([start, words]) => start + words.join(' '))

describe('cleanLine', () => {
  it.each([
    ['-A KUBE-SVC-A ! -s 10.0.0.0/8 -m comment --comment "a/b:c d" -j KUBE-SEP-B'],
    [':KUBE-SVC-A - [0:0]'],
    ['-a -t [fd00::1]:80 -r [fd00::2]:8080 -m -w 1'],
  ])('returns plain output of a tool unchanged: %s', (line) => {
    expect(cleanLine(line)).toEqual({ source: line, before: 0 })
  })

  it.each([
    ['> -A KUBE-SVC-A -j KUBE-SEP-B', 2, '-A KUBE-SVC-A -j KUBE-SEP-B'],
    ['>-A KUBE-SVC-A -j KUBE-SEP-B', 1, '-A KUBE-SVC-A -j KUBE-SEP-B'],
    ['>:KUBE-SVC-A - [0:0]', 1, ':KUBE-SVC-A - [0:0]'],
    ['>>*nat', 2, '*nat'],
    ['> >COMMIT', 3, 'COMMIT'],
    ['>10.244.1.5:80', 0, '>10.244.1.5:80'],
  ])('removes quotation marks of mail: %s', (line, before, source) => {
    expect(cleanLine(line)).toEqual({ source, before })
  })

  it('returns the same for a line with and without a color, which it removes', () => {
    fc.assert(
      fc.property(lines, (line) => {
        expect(cleanLine(line)).toEqual(cleanLine(line + COLOR))
      }),
      { numRuns: 1_000 },
    )
  })
})
