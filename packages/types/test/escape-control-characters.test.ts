import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../compiler/test/support/any-text.js'
import { escapeControlCharacters } from '../src/escape-control-characters.js'

describe('escapeControlCharacters', () => {
  it.each([
    ['plain text, ünï, 日本, 👍', 'plain text, ünï, 日本, 👍'],
    ['\u001b[2J', '\\u001b[2J'],
    ['a\tb\r\nc', 'a\\u0009b\\u000d\\u000ac'],
    ['\u009b31m', '\\u009b31m'],
    ['\u202egnp.txt', '\\u202egnp.txt'],
    ['a\u2066b\u2069', 'a\\u2066b\\u2069'],
    ['\u200b\ufeff\u2028', '\\u200b\\ufeff\\u2028'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['\ud800x', '\\ud800x'],
  ])('maps %j to %s', (text, escaped) => {
    expect(escapeControlCharacters(text)).toBe(escaped)
  })

  it('returns text that JSON.parse maps back to the input if the input has no quotes or backslashes', () => {
    const texts = anyText().map((text) => text.replaceAll(/["\\]/g, ''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(JSON.parse(`"${escapeControlCharacters(text)}"`)).toBe(text)
      }),
    )
  })
})
