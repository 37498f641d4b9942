import { describe, expect, it } from 'vitest'
import { formatKubeProxyDuration, formatNftDuration, parseDuration } from '../../../src/dataplane/nftables/duration.js'
import { formatPriority, parsePriorityName } from '../../../src/dataplane/nftables/priority.js'
import {
  formatCounterValue,
  formatMark,
  isQuotable,
  isValidName,
  isValidType,
  parseNumber,
  printName,
  printType,
  printWord,
  quoteText,
} from '../../../src/dataplane/nftables/words.js'

const ALL = ['name', 'printed name', 'word', 'type', 'quotable']

/** Returns the kinds of words that a text can be in a command. */
function usesOf(text: string): readonly string[] {
  const isPrinted = (print: (text: string) => string) => {
    try {
      return print(text) === text
    } catch {
      return false
    }
  }
  return [
    ...(isValidName(text) ? ['name'] : []),
    ...(isPrinted(printName) ? ['printed name'] : []),
    ...(isPrinted(printWord) ? ['word'] : []),
    ...(isValidType(text) ? ['type'] : []),
    ...(isQuotable(text) ? ['quotable'] : []),
  ]
}

describe('a text in nftables', () => {
  it.each<readonly [string, readonly string[]]>([
    ['a', ALL],
    ['Z9', ALL],
    ['_', ALL],
    ['a/b-c.d', ['name', 'printed name', 'word', 'quotable']],
    ['.a', ['name', 'printed name', 'word', 'quotable']],
    ['9a', ['printed name', 'word', 'type', 'quotable']],
    ['-a', ['printed name', 'word', 'quotable']],
    ['a+b', ['printed name', 'word', 'quotable']],
    ['a#b', ['printed name', 'word', 'quotable']],
    ['#a', ['quotable']],
    ['ä', ['printed name', 'word', 'quotable']],
    ['a b', ['quotable']],
    ['a\tb', ['quotable']],
    ['a\nb', []],
    ['a\u2028b', []],
    ['a\u0085b', []],
    ['a"b', []],
    ['a{', ['quotable']],
    ['}a', ['quotable']],
    ['a;', ['quotable']],
    [',a', ['quotable']],
    ['a\\b', ['quotable']],
    ['', ['quotable']],
  ])('is accepted only for certain uses: %j', (text, uses) => {
    expect(usesOf(text)).toEqual(uses)
  })

  it('is printed without changes, or rejected with a reason', () => {
    expect([printType('ipv4_addr'), quoteText('a b'), quoteText('')]).toEqual(['ipv4_addr', '"a b"', '""'])
    expect(() => printName('a b')).toThrow('"a b" cannot be a name in nftables')
    expect(() => printWord('a b')).toThrow('"a b" cannot be a word of nftables')
    expect(() => printType('a b')).toThrow('"a b" cannot be a type in nftables')
    expect(() => quoteText('a"b')).toThrow('nft does not accept "a\\"b"')
  })
})

describe('a number in nftables', () => {
  it.each<readonly [(number: number) => string, number, string]>([
    [formatMark, 0, '0x00000000'],
    [formatMark, 0x4000, '0x00004000'],
    [formatMark, 0xffffffff, '0xffffffff'],
    [formatCounterValue, 0, '0'],
    [formatCounterValue, 65536, '65536'],
    [formatPriority, 0, '0'],
    [formatPriority, -300, '-300'],
    [formatPriority, -(2 ** 31), '-2147483648'],
    [formatPriority, 2 ** 31 - 1, '2147483647'],
    [formatNftDuration, 0, '0s'],
    [formatNftDuration, 1, '1ms'],
    [formatNftDuration, 999, '999ms'],
    [formatNftDuration, 1000, '1s'],
    [formatNftDuration, 59_999, '59s999ms'],
    [formatNftDuration, 60_000, '1m'],
    [formatNftDuration, 3_600_000, '1h'],
    [formatNftDuration, 86_400_000, '1d'],
    [formatNftDuration, 93_784_005, '1d2h3m4s5ms'],
    [formatKubeProxyDuration, 0, '0s'],
    [formatKubeProxyDuration, 10_800_000, '10800s'],
    [formatKubeProxyDuration, 1500, '1s500ms'],
  ])('is printed: %o prints %d as %s', (print, number, text) => {
    expect(print(number)).toBe(text)
  })

  it.each<readonly [(number: number) => string, number, string]>([
    [formatMark, -1, '-1 cannot be a mark'],
    [formatMark, 0.5, '0.5 cannot be a mark'],
    [formatMark, 2 ** 32, '4294967296 cannot be a mark'],
    [formatCounterValue, -1, '-1 cannot be a number in nftables'],
    [formatCounterValue, 0.5, '0.5 cannot be a number in nftables'],
    [formatCounterValue, 2 ** 53, '9007199254740992 cannot be a number in nftables'],
    [formatPriority, 0.5, '0.5 cannot be a priority'],
    [formatPriority, 2 ** 31, '2147483648 cannot be a priority'],
    [formatNftDuration, -1, '-1 ms cannot be a time in nftables'],
    [formatNftDuration, 0.5, '0.5 ms cannot be a time in nftables'],
  ])('is rejected: %o rejects %d', (print, number, message) => {
    expect(() => print(number)).toThrow(message)
  })

  it.each([
    ['0', 0],
    ['0000000005', 5],
    ['00000000005', undefined],
    ['0x0', 0],
    ['0xABCdef09', 0xabcdef09],
    ['0x', undefined],
    ['0x000000001', undefined],
    ['0x1g', undefined],
    ['x5', undefined],
    ['-5', undefined],
    ['5 ', undefined],
  ])('is parsed: %j as %j', (text, number) => {
    expect(parseNumber(text)).toBe(number)
  })

  it.each([
    ['1d', 86_400_000],
    ['2h', 7_200_000],
    ['3m', 180_000],
    ['4s', 4000],
    ['1h5ms', 3_600_005],
    ['1m1ms', 60_001],
    ['1000000000000ms', undefined],
    ['999999999999ms', 999_999_999_999],
    ['999999999999', 999_999_999_999_000],
    ['1000000000000', undefined],
    ['1s1m', undefined],
    ['1s1s', undefined],
    ['m', undefined],
    ['1m ', undefined],
    [' 1m', undefined],
    ['-1s', undefined],
    ['5m5', undefined],
  ])('is parsed as a duration if it has a unit: %j as %j', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })
})

describe('a priority name in nftables', () => {
  it.each([
    ['ip', 'raw', -300],
    ['ip6', 'mangle', -150],
    ['inet', 'dstnat', -100],
    ['ip', 'filter', 0],
    ['ip', 'security', 50],
    ['ip', 'srcnat', 100],
    ['ip', 'out', undefined],
    ['bridge', 'dstnat', -300],
    ['bridge', 'filter', -200],
    ['bridge', 'out', 100],
    ['bridge', 'srcnat', 300],
    ['bridge', 'raw', undefined],
    ['arp', 'filter', 0],
    ['arp', 'raw', undefined],
    ['netdev', 'filter', 0],
    ['netdev', 'dstnat', undefined],
  ] as const)('is parsed in family %s from %s as %j', (family, name, priority) => {
    expect(parsePriorityName(name, family)).toBe(priority)
  })
})
