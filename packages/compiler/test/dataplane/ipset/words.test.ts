import { describe, expect, it } from 'vitest'
import {
  checkLineLength,
  fitsLineLimit,
  isPrintableWord,
  isValidSetName,
  printEntryOptions,
  printWord,
  splitWords,
} from '../../../src/dataplane/ipset/words.js'

it.each([
  ['KUBE-CLUSTER-IP', true],
  ['a', true],
  ['N'.repeat(31), true],
  ['N'.repeat(32), false],
  [`${'N'.repeat(29)}é`, true],
  [`${'N'.repeat(30)}é`, false],
  ['', false],
  ['-N', false],
  ['N-', true],
  ['A B', false],
  ['A"', false],
  ['A\u0007', false],
  ['A\u2028', false],
])('isValidSetName(%j) is %s', (name, isName) => {
  expect(isValidSetName(name)).toBe(isName)
})

it.each([
  ['web', true],
  ['two words', true],
  ['', false],
  ['a "quote"', false],
  ['a\nline', false],
  ['a\u2029paragraph', false],
  ['a\u0085line', false],
])('isPrintableWord(%j) is %s', (word, can) => {
  expect(isPrintableWord(word)).toBe(can)
})

describe('an ipset word', () => {
  it.each([
    ['web', 'web'],
    ['two words', '"two words"'],
    ['-', '-'],
  ])('is printed: %j as %s', (word, printed) => {
    expect(printWord(word)).toBe(printed)
  })

  it.each(['', 'a"b', 'a\nb'])('is rejected by the printer if it is %j', (word) => {
    expect(() => printWord(word)).toThrow('ipset does not accept')
  })

  it.each([
    [
      ['timeout', '5'],
      ['timeout', '5'],
    ],
    [
      ['comment', 'web'],
      ['comment', '"web"'],
    ],
    [
      ['comment', 'comment', 'timeout', '5'],
      ['comment', '"comment"', 'timeout', '5'],
    ],
    [
      ['timeout', 'a b', 'comment', 'a b'],
      ['timeout', '"a b"', 'comment', '"a b"'],
    ],
  ])('is printed with the options %j as %j, with comments in quotes', (options, printed) => {
    expect(printEntryOptions(options)).toEqual(printed)
  })
})

describe('an ipset line', () => {
  it.each([
    ['a'.repeat(340), true],
    ['a'.repeat(1022), true],
    ['a'.repeat(1023), false],
    ['€'.repeat(340), true],
    ['€'.repeat(341), false],
  ])('may have at most 1022 bytes', (line, fits) => {
    expect(fitsLineLimit(line)).toBe(fits)
    if (fits) expect(checkLineLength(line)).toBe(line)
    else expect(() => checkLineLength(line)).toThrow(`ipset cannot read a line as long as ${line.slice(0, 60)}…`)
  })

  it.each<[string, readonly [string, number][] | undefined]>([
    [
      'add S 10.0.0.1',
      [
        ['add', 1],
        ['S', 5],
        ['10.0.0.1', 7],
      ],
    ],
    [
      ' add\t"two words" x',
      [
        ['add', 2],
        ['two words', 6],
        ['x', 18],
      ],
    ],
    [
      'a ""',
      [
        ['a', 1],
        ['', 3],
      ],
    ],
    ['', []],
    ['a "b', undefined],
    ['a b"', undefined],
    ['a "b"c', undefined],
    ['a b"c"', undefined],
  ])('is split: %j into the words %j', (line, words) => {
    expect(splitWords(line)?.map(({ text, column }) => [text, column])).toEqual(words)
  })
})
