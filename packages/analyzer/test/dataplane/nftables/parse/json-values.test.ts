import { describe, expect, it } from 'vitest'
import {
  isRecord,
  type Json,
  parseJsonKey,
  readJsonDuration,
  readJsonNumber,
  readJsonString,
  readJsonStrings,
  readNonEmptyJsonStrings,
} from '../../../../src/dataplane/nftables/parse/json-values.js'

describe('the readers of JSON values', () => {
  it.each<readonly [Json | undefined, string]>([
    [undefined, ''],
    [null, ''],
    [true, ''],
    ['a', 'text texts nonEmptyTexts'],
    ['', 'text texts nonEmptyTexts'],
    [0, 'number duration'],
    [{}, 'isRecord'],
    [{ length: 0 }, 'isRecord'],
    [[], 'texts'],
    [['a', 'b'], 'texts nonEmptyTexts'],
    [['a', 5], ''],
  ])('convert the value %j to %j', (value, kinds) => {
    const found = Object.entries({
      isRecord,
      text: readJsonString,
      texts: readJsonStrings,
      nonEmptyTexts: readNonEmptyJsonStrings,
      number: readJsonNumber,
      duration: readJsonDuration,
    }).filter(([, read]) => {
      const was = read(value)
      return was !== undefined && was !== false
    })
    expect(new Set(found.map(([name]) => name))).toEqual(new Set(kinds.split(' ').filter((kind) => kind !== '')))
  })

  it('keep a value unchanged, except for a duration in milliseconds and a text in a list', () => {
    expect([
      readJsonString('a'),
      readJsonNumber(5),
      readJsonDuration(5),
      readJsonStrings('a'),
      readJsonStrings(['a', 'b']),
    ]).toEqual(['a', 5, 5000, ['a'], ['a', 'b']])
    expect([readNonEmptyJsonStrings('a'), readNonEmptyJsonStrings(['a'])]).toEqual([['a'], ['a']])
  })
})

describe('parseJsonKey', () => {
  it.each<readonly [string, Json | undefined, readonly string[], string | undefined]>([
    ['a word', 'lo', ['ifname'], 'lo'],
    ['a word of an unknown type', '0x10', [], '0x10'],
    ['a number', 80, ['inet_service'], '80'],
    ['a number in the notation of its type', 5, ['mark'], '0x00000005'],
    ['a number of an unknown type', 5, [], '5'],
    ['an existing value', true, ['fib_oif'], 'exists'],
    ['a missing value', false, ['fib_oif'], 'missing'],
    ['booleans of an unknown type', true, [], undefined],
    ['a prefix', { prefix: { addr: '10.0.0.0', len: 8 } }, ['ipv4_addr'], '10.0.0.0/8'],
    ['a prefix of the whole address space', { prefix: { addr: '0.0.0.0', len: 0 } }, ['ipv4_addr'], '0.0.0.0/0'],
    ['a prefix of a number', { prefix: { addr: 16, len: 28 } }, ['mark'], '0x00000010/28'],
    ['a prefix without an address', { prefix: { len: 8 } }, ['ipv4_addr'], undefined],
    ['a prefix with a length of another type', { prefix: { addr: '10.0.0.0', len: '8' } }, ['ipv4_addr'], undefined],
    ['a range', { range: [80, 90] }, ['inet_service'], '80-90'],
    ['a range in the notation of its type', { range: [1, 2] }, ['mark'], '0x00000001-0x00000002'],
    ['a range without an end', { range: [80] }, ['inet_service'], undefined],
    ['a range without a beginning', { range: [null, 90] }, ['inet_service'], undefined],
    ['a range that is not a list', { range: 80 }, ['inet_service'], undefined],
    [
      'several parts',
      { concat: ['10.0.0.1', 6, 80] },
      ['ipv4_addr', 'inet_proto', 'inet_service'],
      '10.0.0.1 . tcp . 80',
    ],
    ['components of an unknown type', { concat: [6, 5] }, ['inet_proto'], 'tcp . 5'],
    ['one component of several', { concat: [6] }, ['inet_proto'], 'tcp'],
    ['components with an invalid one', { concat: [6, null] }, [], undefined],
    ['a negative component', { concat: ['10.0.0.1', -1] }, [], undefined],
    ['a component that is no integer', { concat: ['10.0.0.1', 0.5] }, [], undefined],
    ['a component above all integers', { concat: ['10.0.0.1', 1e300] }, [], undefined],
    ['parts that are not a list', { concat: 6 }, [], undefined],
    ['nested components', { concat: [{ concat: [5] }] }, [], undefined],
    ['a value of another kind', { what: 5 }, ['mark'], undefined],
    ['a list', [5], ['mark'], undefined],
    ['nothing', null, ['mark'], undefined],
    ['nothing', undefined, ['mark'], undefined],
  ])('formats a key only if it is valid: %s', (_, json, types, key) => {
    expect(parseJsonKey(json, types)).toBe(key)
  })
})
