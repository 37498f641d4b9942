import { describe, expect, it } from 'vitest'
import type { IpSet } from '../../../../compiler/src/dataplane/ipset/ast.js'
import { formatEntry } from '../../../../compiler/src/dataplane/ipset/entries.js'
import { CASES, hashSet, portBitmap } from '../../../../compiler/test/dataplane/ipset/states.js'
import { parseIpset } from '../../../src/dataplane/ipset/parse.js'

function read(text: string): readonly IpSet[] {
  const result = parseIpset(text)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value.sets
}

describe.each(CASES)('$title', ({ set, restore, save, canonical }) => {
  it('is parsed from the text for ipset restore', () => {
    expect(read(restore)).toStrictEqual([set])
  })

  it('is parsed from ipset save output, with the components of each entry', () => {
    const [found] = read(save)
    expect(found?.entries.map(formatEntry).sort()).toEqual([...canonical].sort())
    expect(new Set(found?.entries.map(({ kind }) => kind))).toEqual(new Set(set.entries.map(({ kind }) => kind)))
  })
})

describe('the create command', () => {
  it('fills in the defaults of ipset', () => {
    expect(read('create A hash:ip')).toStrictEqual([hashSet('hash:ip', 'A', [])])
  })

  it('keeps other options in their order', () => {
    const text = 'create A hash:ip timeout 300 maxelem 7 counters family inet6 comment bucketsize 12 initval 0x2a5b4408'
    const options = ['timeout', '300', 'counters', 'comment', 'bucketsize', '12', 'initval', '0x2a5b4408']
    expect(read(text)).toStrictEqual([hashSet('hash:ip', 'A', [], { family: 'inet6', maxelem: 7, options })])
  })

  it('normalizes a reversed range', () => {
    expect(read('create A bitmap:port range 200-100 comment')).toStrictEqual([
      portBitmap('A', [], { firstPort: 100, lastPort: 200, options: ['comment'] }),
    ])
  })

  it('accepts ipv4 and ipv6 as inet and inet6', () => {
    const sets = read('create A hash:ip family ipv4\ncreate B hash:ip family ipv6')
    expect(sets.map((set) => 'family' in set && set.family)).toEqual(['inet', 'inet6'])
  })
})

describe('the add command', () => {
  it('removes the quotes around options', () => {
    const [set] = read('create A hash:ip comment\nadd A 10.0.0.1 packets 5 bytes 50 comment "a b"')
    expect(set?.entries).toEqual([
      { kind: 'ip', address: '10.0.0.1', options: ['packets', '5', 'bytes', '50', 'comment', 'a b'] },
    ])
  })

  it.each([
    ['hash:ip', '10.0.0.1/32', { kind: 'ip', address: '10.0.0.1' }],
    ['hash:ip family inet6', 'fd00::1/128', { kind: 'ip', address: 'fd00::1' }],
    ['hash:ip,port', '10.0.0.1,80', { kind: 'ip,port', address: '10.0.0.1', protocol: 'tcp', port: 80 }],
    ['hash:ip,port', '10.0.0.1,SCTP:80', { kind: 'ip,port', address: '10.0.0.1', protocol: 'sctp', port: 80 }],
    ['bitmap:port range 0-65535', 'tcp:90', { kind: 'port', port: 90 }],
  ])('for a set of type %s accepts the entry %s', (type, text, entry) => {
    expect(read(`create A ${type}\nadd A ${text}`)[0]?.entries).toEqual([entry])
  })

  it.each([
    ['hash:ip', '10.0.0.4-10.0.0.6'],
    ['hash:ip', '10.0.1.0/30'],
    ['hash:ip', '010.0.0.1'],
    ['hash:ip', 'example.org'],
    ['hash:ip family inet6', '::ffff:10.0.0.1'],
    ['hash:ip,port', '10.0.0.1,tcp:http'],
    ['hash:ip,port', '10.0.0.1,tcp:080'],
    ['hash:ip,port', '10.0.0.1,tcp:65536'],
    ['hash:ip,port', '10.0.0.1,tcp:80-82'],
    ['hash:ip,port', '10.0.0.1,icmp:echo-request'],
    ['hash:ip,port', '10.0.0.1,47:0'],
    ['hash:ip,port', '10.0.0.1'],
    ['hash:ip,port', '10.0.0.1,tcp:80,10.0.0.1'],
    ['hash:ip,port,ip', '10.0.0.1,tcp:80'],
    ['hash:ip,port,ip', '10.0.0.1,tcp:80,10.0.0.1/32'],
    ['hash:ip,port,ip', '10.0.0.1,tcp:80,10.0.0.1,10.0.0.1'],
    ['hash:ip,port,net', '10.0.0.1,tcp:80,10.0.0.0/33'],
    ['hash:ip,port,net', '10.0.0.1,tcp:80,10.0.0.0/08'],
    ['hash:ip,port,net', '10.0.0.1,tcp:80,10.0.0.0/8/8'],
    ['hash:ip,port,net', '10.0.0.1,tcp:80,net'],
    ['hash:ip,port,net', 'a,tcp:80,10.0.0.0/8'],
    ['bitmap:port range 0-65535', '30081-30083'],
  ])('for a set of type %s keeps the unknown entry %s', (type, text) => {
    expect(read(`create A ${type}\nadd A ${text}`)[0]?.entries).toEqual([{ kind: 'unknown', text }])
  })
})

describe('lines of ipset save', () => {
  it('may be empty, comments or COMMIT, and may have an indent, a carriage return or no newline', () => {
    const text = '# c\n\n  # d\n\tcreate   A\t hash:ip  \r\n-N B hash:ip\n-A A 10.0.0.1\r\nCOMMIT\nadd "B" "10.0.0.2"'
    expect(read(text)).toEqual([
      hashSet('hash:ip', 'A', [{ kind: 'ip', address: '10.0.0.1' }]),
      hashSet('hash:ip', 'B', [{ kind: 'ip', address: '10.0.0.2' }]),
    ])
  })

  it('may contain set names that equal properties of JavaScript objects', () => {
    expect(read('create __proto__ hash:ip\nadd __proto__ 10.0.0.1').map(({ name }) => name)).toEqual(['__proto__'])
    expect(parseIpset('add constructor 10.0.0.1').ok).toBe(false)
  })

  it.each([
    [
      'create A hash:ip\nflush A',
      { code: 'unknownCommand', line: 2, column: 1, message: 'flush is not create or add' },
    ],
    ['create A', { code: 'missingWord', line: 1, column: 1, message: 'create needs a name and a type' }],
    ['add A', { code: 'missingWord', line: 1, column: 1, message: 'add needs a name and an entry' }],
    ['create A bitmap:port', { code: 'missingWord', line: 1, column: 1, message: 'bitmap:port needs a range' }],
    ['  add  X 10.0.0.1', { code: 'unknownSet', line: 1, column: 8, message: 'set X has not been created' }],
    [
      'create A hash:ip\ncreate A hash:ip',
      { code: 'duplicateSet', line: 2, column: 8, message: 'set A already exists' },
    ],
    [
      `create ${'N'.repeat(32)} hash:ip`,
      { code: 'invalidValue', line: 1, column: 8, message: 'expected a set name of one word and at most 31 bytes' },
    ],
    [
      'create A hash:ip family inet5',
      { code: 'invalidValue', line: 1, column: 25, message: 'expected the family inet or inet6' },
    ],
    [
      'create A hash:ip family',
      { code: 'invalidValue', line: 1, column: 18, message: 'expected the family inet or inet6' },
    ],
    [
      'create A hash:ip hashsize -1',
      { code: 'invalidValue', line: 1, column: 27, message: 'expected a whole number as hashsize' },
    ],
    [
      'create A hash:ip maxelem 1.5',
      { code: 'invalidValue', line: 1, column: 26, message: 'expected a whole number as maxelem' },
    ],
    [
      'create A hash:ip maxelem 1e3',
      { code: 'invalidValue', line: 1, column: 26, message: 'expected a whole number as maxelem' },
    ],
    [
      'create A hash:ip maxelem 4294967296',
      { code: 'invalidValue', line: 1, column: 26, message: 'expected a whole number as maxelem' },
    ],
    [
      'create A bitmap:port range 1-70000',
      { code: 'invalidValue', line: 1, column: 28, message: 'expected a range of two port numbers, such as 0-65535' },
    ],
    [
      'create A bitmap:port range 7',
      { code: 'invalidValue', line: 1, column: 28, message: 'expected a range of two port numbers, such as 0-65535' },
    ],
    [
      'create A hash:ip\nadd A 10.0.0.1 comment ""',
      { code: 'invalidValue', line: 2, column: 24, message: 'a word is empty or has a control character' },
    ],
    [
      'create A"B hash:ip',
      { code: 'badQuote', line: 1, column: 1, message: 'expected double quotes only at the start and end of a word' },
    ],
    [
      'create A hash:ip "open',
      { code: 'badQuote', line: 1, column: 1, message: 'expected double quotes only at the start and end of a word' },
    ],
  ])('cause a problem if they are invalid: %j', (text, problem) => {
    const lines = text.split('\n')
    const excerpt = `${problem.line} | ${lines[problem.line - 1]}\n  | ${' '.repeat(problem.column - 1)}^`
    expect(parseIpset(text)).toEqual({ ok: false, problems: [{ ...problem, text: 0, excerpt }] })
  })

  it('must not exceed the length that ipset accepts', () => {
    const result = parseIpset(`create A hash:ip comment\nadd A 10.0.0.1 comment "${'é'.repeat(500)}"\n`)
    expect(result.ok ? [] : result.problems).toMatchObject([
      { code: 'invalidValue', line: 2, column: 1, message: 'the line is longer than ipset accepts' },
    ])
  })

  it('cause one problem for each invalid line', () => {
    const result = parseIpset('swap A B\ncreate A hash:ip\nadd B 10.0.0.1\n')
    expect(result.ok ? [] : result.problems.map(({ code, line }) => [code, line])).toEqual([
      ['unknownCommand', 1],
      ['unknownSet', 3],
    ])
  })
})
