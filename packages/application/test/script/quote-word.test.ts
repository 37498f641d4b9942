import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteWord, quoteWords } from '../../src/script/quote-word.js'

describe('quoteWord', () => {
  it.each([
    ['--noflush', '--noflush'],
    ['KUBE-SEP-2RIJ5GIYXEFH6G4D', 'KUBE-SEP-2RIJ5GIYXEFH6G4D'],
    ['10.96.0.0/12', '10.96.0.0/12'],
    ['work/saythx-redis:http', 'work/saythx-redis:http'],
    ['NEW,ESTABLISHED', 'NEW,ESTABLISHED'],
    ['', "''"],
    ['!', "'!'"],
    ['two words', "'two words'"],
    ['[fd00::1]:80', "'[fd00::1]:80'"],
    ["it's", "'it'\\''s'"],
    ['$(reboot)', "'$(reboot)'"],
    ['a\nb', "'a\nb'"],
    ['~', "'~'"],
    ['#x', "'#x'"],
    ['A=b', "'A=b'"],
  ])('maps %j to %s', (word, quoted) => {
    expect(quoteWord(word)).toBe(quoted)
  })
})

describe('quoteWords', () => {
  it('separates words with spaces', () => {
    expect(quoteWords(['iptables', '-m', 'comment', '--comment', 'a b'])).toBe("iptables -m comment --comment 'a b'")
  })

  it('returns a text that a shell splits into the same words', () => {
    const words = fc.array(
      fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0')),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(words, (list) => {
        const script = `printf '%s\\0' ${quoteWords(list)}`
        const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
        expect(stdout.split('\0').slice(0, -1)).toEqual(list)
      }),
      { numRuns: 50 },
    )
  })
})
