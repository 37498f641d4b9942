import { describe, expect, it } from 'vitest'
import { canJoinWords, printUnknownWords } from '../../../src/dataplane/nftables/parse/unknown-words.js'

describe('printUnknownWords and canJoinWords for unknown words', () => {
  it.each([[['ip', 'daddr']], [['log', 'prefix', '"a b"']], [['{', 'a', '}']], [['@th,0,16']]])(
    'accept %j',
    (words) => {
      expect(canJoinWords(words)).toBe(true)
      expect(printUnknownWords(words)).toBe(words.join(' '))
    },
  )

  it.each([
    ['a blank in a word', ['a b']],
    ['a blank that nft does not recognize', ['ip', 'a\u205fb']],
    ['an empty word', ['a', '']],
    ['an open brace', ['{', 'a']],
    ['a backslash, which joins lines', ['a', '\\']],
    ['a semicolon', ['a', ';']],
    ['two lines', ['a\nb']],
  ])('reject %s', (_, words) => {
    expect(canJoinWords(words)).toBe(false)
    expect(() => printUnknownWords(words)).toThrow('are not words of nftables')
  })
})
