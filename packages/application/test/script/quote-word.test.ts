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
    ['a\u009b31m', `"$(printf 'a\\302\\23331m')"`],
    ['-\u202e%\\\t', `"$(printf '\\055\\342\\200\\256%%\\\\\t')"`],
    ['\u007f\n\n', `"$(printf '\\177')"'\n\n'`],
  ])('maps %j to %s', (word, quoted) => {
    expect(quoteWord(word)).toBe(quoted)
  })
})

describe('quoteWords', () => {
  it('separates words with spaces', () => {
    expect(quoteWords(['iptables', '-m', 'comment', '--comment', 'a b'])).toBe("iptables -m comment --comment 'a b'")
  })

  it('returns a text that a shell splits into the same words', () => {
    const controls = fc.constantFrom('\u001b[2J', '\u0081', '\u0088', '\u009b', '\u202e', '\u200b', '\u2029', '-', '\n')
    const words = fc.array(
      fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), controls)).map((parts) => parts.join('').replaceAll('\0', '')),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(words, (list) => {
        const script = `printf '%s\\0' ${quoteWords(list)}`
        const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
        expect(stdout.split('\0').slice(0, -1)).toEqual(list)
        expect(script).not.toMatch(/[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
      { numRuns: 50 },
    )
  })
})
