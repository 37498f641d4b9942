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

describe('an excerpt of ipset output', () => {
  it.each([
    ['is complete after the command ipset save', ['$ ipset save', ...SAVED], 'all'],
    ['contains one complete set after the command ipset save SET', ['$ ipset save S', ...SAVED], ['S']],
    ['contains a complete set after the command ipset -o save', ['$ ipset -o save', ...SAVED], ['S']],
    ['is complete after the command ipset list', ['$ ipset list', ...listed('S', '10.0.0.1')], 'all'],
    [
      'contains one complete set after the command ipset list SET',
      ['$ ipset list S', ...listed('S', '10.0.0.1')],
      ['S'],
    ],
    ['is complete after the command ipset list -t', ['$ ipset list -t', ...listed('S', '10.0.0.1')], 'all'],
    ['contains a complete set if a listing has no command line', listed('S', '10.0.0.1'), ['S']],
    ['is complete if a listing ends with an empty line', ['$ ipset list', ...listed('S', '10.0.0.1'), ''], 'all'],
    ['contains no complete set if saved sets have no command line', SAVED, []],
    ['contains no complete set if saved sets were filtered', ['$ ipset save | grep', ...SAVED], []],
    ['contains no complete set if a listing was filtered', ['$ ipset list | grep', ...listed('S', '10.0.0.1')], []],
    ['contains no complete set after the command of another tool', ['$ iptables -S', ...SAVED], []],
  ])('%s', (_, lines, whole) => {
    const six = whole === 'all' ? [] : undefined
    expect(read(...lines)).toEqual({ sets: [ONE], six, whole, messages: [] })
  })

  it('has complete sets only in the unfiltered output before filtered output', () => {
    expect(read('$ ipset list', ...listed('S', '10.0.0.1'), '$ ipset list | grep', ...listed('T'))).toMatchObject({
      sets: [ONE, 'T hash:ip <'],
      whole: ['S'],
    })
  })

  it('has a state for each IP family, and both states contain all sets of ports', () => {
    expect(read(...SIX)).toMatchObject({ sets: undefined, six: ['X hash:ip < fd00::1'] })
    expect(read(...SAVED, ...SIX)).toMatchObject({ sets: [ONE], six: ['X hash:ip < fd00::1'] })
    const ports = 'P bitmap:port < 80'
    expect(read('create P bitmap:port range 0-65535', 'add P 80')).toMatchObject({ sets: [ports], six: [ports] })
    expect(read()).toEqual({ sets: undefined, six: undefined, whole: undefined, messages: [] })
  })
})

describe('missing or invalid content of an ipset excerpt', () => {
  it.each([
    ['makes the set before a gap incomplete', ['$ ipset save', ...SAVED, '...'], [ONE], []],
    ['makes the excerpt incomplete, but not the set after a gap', ['$ ipset save', '...', ...SAVED], [ONE], ['S']],
    [
      'makes only the last set incomplete if a gap follows it',
      ['$ ipset save', ...SAVED, 'create T hash:ip family inet', '...'],
      [ONE, 'T hash:ip <'],
      ['S'],
    ],
    [
      'makes a listed set incomplete if a gap follows it',
      ['$ ipset list', ...listed('S', '10.0.0.1'), '...', ...listed('T')],
      [ONE, 'T hash:ip <'],
      ['T'],
    ],
    [
      'makes a set incomplete if it has fewer entries than its header counts',
      ['$ ipset list', ...listed('S', '10.0.0.1', '10.0.0.2').slice(0, -1)],
      [ONE],
      [],
    ],
    [
      'makes a set incomplete if its members are not listed',
      ['$ ipset list', ...listed('S').slice(0, -1)],
      ['S hash:ip <'],
      [],
    ],
  ])('%s', (_, lines, sets, whole) => {
    expect(read(...lines)).toEqual({ sets, six: undefined, whole, messages: [] })
  })

  it.each([
    [
      'a truncated line',
      ['$ ipset save', ...SAVED, 'create T hash:ip family inet', 'add T 10.0.0...'],
      [ONE, 'T hash:ip <'],
      [],
      ['5 cutLine: the line is truncated'],
    ],
    ['an entry that belongs to no set', ['10.0.0.1', ...SAVED], [ONE], [], [`1 ${NO_SET}`]],
    [
      'an entry after the end of its set',
      ['$ ipset list', ...listed('S', '10.0.0.1'), '---', '10.0.0.2'],
      [ONE],
      ['S'],
      [`12 ${NO_SET}`],
    ],
    [
      'a field that belongs to no set',
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
  ])('causes a problem: %s', (_, lines, sets, whole, messages) => {
    expect(read(...lines)).toEqual({ sets, six: undefined, whole, messages })
  })
})

describe('a set in an ipset excerpt', () => {
  it('keeps the type of the first create line and all entries, but ignores a later listing', () => {
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
  ])('has the type that its entry implies if the create line is missing: %s: %s', (entry, type) => {
    expect(read('$ ipset save', `add  S  ${entry}`)).toMatchObject({
      sets: [`S ${type} < ${entry}`],
      whole: [],
      messages: [],
    })
  })

  it('is an IPv6 set if it has an IPv6 entry but no create line', () => {
    expect(read('add S fd00::1,tcp:80').six).toEqual(['S hash:ip,port < fd00::1,tcp:80'])
    expect(read('add S 10.0.0.1', 'add S 10.0.0.2').sets).toEqual(['S hash:ip < 10.0.0.1 10.0.0.2'])
  })

  it('in the format of a listing ends before a type without the name of its set', () => {
    const [, ...nameless] = listed('T', '10.0.0.2')
    const { sets, whole, messages } = read('$ ipset list', ...listed('S', '10.0.0.1'), ...nameless)
    expect(sets).toEqual([ONE])
    expect(whole).toEqual(['S'])
    expect(messages).toEqual(nameless.map((_, index) => `${index + 11} ${NO_SET}`))
  })

  it('in the format of a listing ends before a create command', () => {
    expect(read('$ ipset list', ...listed('S', '10.0.0.1'), 'create T hash:ip', '10.0.0.2').messages).toEqual([
      `12 ${NO_SET}`,
    ])
  })
})

describe('the first line of an ipset excerpt', () => {
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
  ])('is not recognized: %j', (line) => {
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
  ])('may be Members: followed by the entry %s', (entry) => {
    expect(goesOnAfter('Members:', entry)).toBe(true)
    expect(goesOnAfter('References: 1', entry)).toBe(false)
  })

  it.each(['web', '10.0.0.1 is not it', 'x10.0.0.1', '10.0.0.1 commented', '80 90'])(
    'is not Members: followed by "%s"',
    (line) => {
      expect(goesOnAfter('Members:', line)).toBe(false)
    },
  )

  it.each(['10.0.0.1', '10.0.0.1 comment "web"', '10.0.0.1 timeout 5', '10.0.0.0/8 nomatch', 'Members: 10.0.0.1'])(
    'may be Members: followed by %s and by more entries',
    (entry) => {
      const after = ipsetPasteReader.begins('Members:', undefined)?.(entry)
      expect(after?.('10.0.0.2')).toBeDefined()
      expect(after?.('Name: T')).toBeDefined()
      expect(after?.('web')).toBeUndefined()
    },
  )

  it('is not "Members:" if an empty line precedes the entry', () => {
    expect(ipsetPasteReader.begins('Members:', undefined)?.('')?.('10.0.0.1')).toBeUndefined()
  })
})
