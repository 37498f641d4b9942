import { describe, expect, it } from 'vitest'
import { checkPlainWord, joinRawWords, quoteText } from '../../../src/dataplane/iptables/quote.js'

describe('the functions that quote words for iptables', () => {
  it('reject text that iptables cannot print, and name the expected value in the error', () => {
    expect(() => checkPlainWord('a b')).toThrow(/"a b" cannot be written as one word$/)
    expect(() => joinRawWords(['a', 'b"c'])).toThrow(/"b."c" cannot be written as one word$/)
    expect(() => quoteText('a\nb', 'save')).toThrow(/"a.nb" cannot be written as a quoted text$/)
    expect(() => quoteText('a\0"', 'restore')).toThrow('cannot be written as a quoted text')
  })

  it('accept text with tabs, and quote it', () => {
    expect(quoteText('a\tb', 'save')).toBe('"a\tb"')
  })
})
