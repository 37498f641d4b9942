import { describe, expect, it } from 'vitest'
import { formatEntry } from '../../../../compiler/src/dataplane/ipset/entries.js'
import { NO_HINTS, pastedLines } from '../../../../compiler/test/support/pasted-lines.js'
import { ipsetPasteReader } from '../../../src/dataplane/ipset/pasted/reader.js'

/** Reads sets as `S hash:ip < 10.0.0.1`, and the list of complete sets. */
function read(...lines: readonly string[]) {
  const { states, coverage, problems, notes } = ipsetPasteReader.read(pastedLines(...lines), NO_HINTS)
  const setsOf = (family: 'IPv4' | 'IPv6') =>
    states[family]?.sets.map(({ name, type, entries }) => [`${name} ${type} <`, ...entries.map(formatEntry)].join(' '))
  expect(notes).toEqual([])
  return {
    sets: setsOf('IPv4'),
    six: setsOf('IPv6'),
    whole: coverage.IPv4?.isComplete ? 'all' : coverage.IPv4?.complete.map((id) => id.replace('ipset ', '')),
    messages: problems.map(({ line, code, message }) => `${line} ${code}: ${message}`),
  }
}

const SAVED = [
  'create S hash:ip family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x1234',
  'add S 10.0.0.1',
]
const ONE = 'S hash:ip < 10.0.0.1'
const listed = (name: string, ...entries: readonly string[]) => [
  `Name: ${name}`,
  'Type: hash:ip',
  'Revision: 6',
  'Header: family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x1234',
  'Size in memory: 248',
  'References: 1',
  `Number of entries: ${entries.length}`,
  'Members:',
  ...entries,
]
const SIX = ['create X hash:ip family inet6 hashsize 1024 maxelem 65536', 'add X fd00::1']
const NO_SET = 'strayLine: the set of this line is unknown'

describe('the set that a command requests', () => {
  it.each([
    ['commands', ['$ ipset save', ...SAVED], 'all'],
    ['commands of one set', ['$ ipset save S', ...SAVED], ['S']],
    ['commands requested by an option', ['$ ipset -o save', ...SAVED], ['S']],
    ['a listing', ['$ ipset list', ...listed('S', '10.0.0.1')], 'all'],
    ['a listing of a set', ['$ ipset list S', ...listed('S', '10.0.0.1')], ['S']],
    ['a listing by an option', ['$ ipset list -t', ...listed('S', '10.0.0.1')], 'all'],
    ['a listing without its command', listed('S', '10.0.0.1'), ['S']],
    ['a listing with an empty line', ['$ ipset list', ...listed('S', '10.0.0.1'), ''], 'all'],
    ['commands without their tool command', SAVED, []],
    ['commands after a filter', ['$ ipset save | grep', ...SAVED], []],
    ['a listing after a filter', ['$ ipset list | grep', ...listed('S', '10.0.0.1')], []],
    ['commands of another tool', ['$ iptables -S', ...SAVED], []],
  ])('is complete: %s', (_, lines, whole) => {
    const six = whole === 'all' ? [] : undefined
    expect(read(...lines)).toEqual({ sets: [ONE], six, whole, messages: [] })
  })

  it('is incomplete if it was filtered', () => {
    expect(read('$ ipset list', ...listed('S', '10.0.0.1'), '$ ipset list | grep', ...listed('T'))).toMatchObject({
      sets: [ONE, 'T hash:ip <'],
      whole: ['S'],
    })
  })

  it('is determined by family, and sets of ports belong to both', () => {
    expect(read(...SIX)).toMatchObject({ sets: undefined, six: ['X hash:ip < fd00::1'] })
    expect(read(...SAVED, ...SIX)).toMatchObject({ sets: [ONE], six: ['X hash:ip < fd00::1'] })
    const ports = 'P bitmap:port < 80'
    expect(read('create P bitmap:port range 0-65535', 'add P 80')).toMatchObject({ sets: [ports], six: [ports] })
    expect(read()).toEqual({ sets: undefined, six: undefined, whole: undefined, messages: [] })
  })
})

describe('a set with missing lines', () => {
  it.each([
    ['a gap among commands', ['$ ipset save', ...SAVED, '...'], [ONE], []],
    ['a gap before commands', ['$ ipset save', '...', ...SAVED], [ONE], ['S']],
    [
      'a gap in the last of several sets',
      ['$ ipset save', ...SAVED, 'create T hash:ip family inet', '...'],
      [ONE, 'T hash:ip <'],
      ['S'],
    ],
    [
      'a gap in a listed set',
      ['$ ipset list', ...listed('S', '10.0.0.1'), '...', ...listed('T')],
      [ONE, 'T hash:ip <'],
      ['T'],
    ],
    [
      'fewer entries than are counted',
      ['$ ipset list', ...listed('S', '10.0.0.1', '10.0.0.2').slice(0, -1)],
      [ONE],
      [],
    ],
    ['a listing without its members', ['$ ipset list', ...listed('S').slice(0, -1)], ['S hash:ip <'], []],
  ])('%s', (_, lines, sets, whole) => {
    expect(read(...lines)).toEqual({ sets, six: undefined, whole, messages: [] })
  })

  it.each([
    [
      'a line that is truncated',
      ['$ ipset save', ...SAVED, 'create T hash:ip family inet', 'add T 10.0.0...'],
      [ONE, 'T hash:ip <'],
      [],
      ['5 cutLine: the line is truncated'],
    ],
    ['an entry without a set', ['10.0.0.1', ...SAVED], [ONE], [], [`1 ${NO_SET}`]],
    [
      'an entry after the end of its set',
      ['$ ipset list', ...listed('S', '10.0.0.1'), '---', '10.0.0.2'],
      [ONE],
      ['S'],
      [`12 ${NO_SET}`],
    ],
    [
      'a field without a set',
      ['$ ipset list', 'Type: hash:ip', ...listed('S', '10.0.0.1')],
      [ONE],
      ['S'],
      [`2 ${NO_SET}`],
    ],
    [
      'an invalid name',
      ['$ ipset list', ...listed('S', '10.0.0.1'), 'Name: two words', '10.0.0.2'],
      [ONE],
      ['S'],
      ['11 strayLine: expected the name of a set', `12 ${NO_SET}`],
    ],
    [
      'an invalid entry',
      ['$ ipset save', ...SAVED, 'add S 10.0.0.2 "x'],
      [ONE],
      [],
      ['4 badQuote: expected double quotes only at the start and end of a word'],
    ],
    [
      'an invalid set',
      ['$ ipset save', ...SAVED, 'create T hash:ip family inet7'],
      [ONE],
      ['S'],
      ['4 invalidValue: expected the family inet or inet6'],
    ],
  ])('is reported: %s', (_, lines, sets, whole, messages) => {
    expect(read(...lines)).toEqual({ sets, six: undefined, whole, messages })
  })
})

describe('a set in an excerpt', () => {
  it('is parsed once if it is duplicated, with the entries of both', () => {
    const wider = 'create S hash:net family inet'
    expect(read(...SAVED, wider, 'add S 10.0.0.2').sets).toEqual(['S hash:ip < 10.0.0.1 10.0.0.2'])
    expect(read(...SAVED, ...listed('S', '10.0.0.2')).sets).toEqual([ONE])
  })

  it.each([
    ['80', 'bitmap:port'],
    ['10.0.0.1', 'hash:ip'],
    ['10.0.0.1,tcp:80', 'hash:ip,port'],
    ['10.0.0.1,tcp:80,10.0.0.1', 'hash:ip,port,ip'],
    ['10.0.0.1,tcp:80,10.0.0.0/8', 'hash:ip,port,net'],
  ])('without a create line assigns an entry %s to a set of type %s', (entry, type) => {
    expect(read('$ ipset save', `add  S  ${entry}`)).toMatchObject({
      sets: [`S ${type} < ${entry}`],
      whole: [],
      messages: [],
    })
  })

  it('without a create line is IPv6 if the entry is', () => {
    expect(read('add S fd00::1,tcp:80').six).toEqual(['S hash:ip,port < fd00::1,tcp:80'])
    expect(read('add S 10.0.0.1', 'add S 10.0.0.2').sets).toEqual(['S hash:ip < 10.0.0.1 10.0.0.2'])
  })

  it('with commands does not continue the set listed before', () => {
    expect(read('$ ipset list', ...listed('S', '10.0.0.1'), 'create T hash:ip', '10.0.0.2').messages).toEqual([
      `12 ${NO_SET}`,
    ])
  })
})

describe('a line that starts an excerpt of ipset', () => {
  const goesOnAfter = (line: string, next: string) => ipsetPasteReader.begins(line, undefined)?.(next) !== undefined

  it.each([...SAVED, ...listed('S'), 'add S fd00::1', 'add S [fd00::1]:80', 'create S list:set'])(
    'is recognized: %s',
    (line) => {
      expect(goesOnAfter(line, 'Members:')).toBe(true)
      expect(goesOnAfter(line, '')).toBe(true)
      expect(goesOnAfter(line, 'anything else')).toBe(false)
    },
  )

  it.each([
    'create a Service',
    'add some text',
    'Names: S',
    'The Type: x',
    'x create S hash:ip',
    'x add S 10.0.0.1',
    '',
  ])('is not %j', (line) => {
    expect(ipsetPasteReader.begins(line, undefined)).toBeUndefined()
  })

  it.each([
    '10.0.0.1',
    'fd00::1',
    '10.0.0.1,tcp:80',
    '10.0.0.0/8',
    '10.0.0.1-10.0.0.9',
    '80',
    '80-90',
    '10.0.0.1 comment "web"',
    '10.0.0.1 timeout 5',
    '10.0.0.1 packets 1 bytes 2',
    '10.0.0.0/8 nomatch',
  ])('is followed by entries after its members: %s', (entry) => {
    expect(goesOnAfter('Members:', entry)).toBe(true)
    expect(goesOnAfter('References: 1', entry)).toBe(false)
  })

  it.each(['web', '10.0.0.1 is not it', 'x10.0.0.1', '10.0.0.1 commented', '80 90'])(
    'is not followed by other lines after its members: %s',
    (line) => {
      expect(goesOnAfter('Members:', line)).toBe(false)
    },
  )

  it.each(['10.0.0.1', '10.0.0.1 comment "web"', '10.0.0.1 timeout 5', '10.0.0.0/8 nomatch', 'Members: 10.0.0.1'])(
    'continues after %s',
    (entry) => {
      const after = ipsetPasteReader.begins('Members:', undefined)?.(entry)
      expect(after?.('10.0.0.2')).toBeDefined()
      expect(after?.('Name: T')).toBeDefined()
      expect(after?.('web')).toBeUndefined()
    },
  )

  it('does not continue with entries after an empty line', () => {
    expect(ipsetPasteReader.begins('Members:', undefined)?.('')?.('10.0.0.1')).toBeUndefined()
  })
})
