import { describe, expect, it } from 'vitest'
import type { IpSet } from '../../../src/dataplane/ipset/ast.js'
import { printRestore, printSave } from '../../../src/dataplane/ipset/print.js'
import { CASES, hashSet, portBitmap } from './states.js'

describe.each(CASES)('the set $title', ({ set, restore, save }) => {
  it('is printed for ipset restore in the order of the state', () => {
    expect(printRestore({ sets: [set] })).toBe(restore)
  })

  it('is printed as the command ipset -sorted save prints it', () => {
    expect(printSave({ sets: [set] })).toBe(save)
  })
})

describe('several printed sets', () => {
  const state = { sets: [portBitmap('B', [80]), hashSet('hash:ip', 'A', [{ kind: 'ip', address: '10.0.0.1' }])] }

  it('are all created in the restore format before any entry is added', () => {
    expect(printRestore(state)).toBe(`create B bitmap:port range 0-65535
create A hash:ip family inet hashsize 1024 maxelem 65536
add B 80
add A 10.0.0.1
`)
  })

  it('are each followed by their entries in the save format', () => {
    expect(printSave(state)).toBe(`create B bitmap:port range 0-65535
add B 80
create A hash:ip family inet hashsize 1024 maxelem 65536
add A 10.0.0.1
`)
  })

  it('are printed as empty text if there are none', () => {
    expect(printRestore({ sets: [] })).toBe('')
    expect(printSave({ sets: [] })).toBe('')
  })
})

describe('ipset entry options', () => {
  const options = ['timeout', '300', 'comment', 'bucketsize', '12', 'initval', '0x2a5b4408']
  const entry = { kind: 'ip', address: '10.0.0.1', options: ['timeout', '5', 'comment', 'web'] } as const
  const state = { sets: [hashSet('hash:ip', 'A', [entry], { options, hashsize: 2048 })] }

  it('are printed unchanged, except that comments get quotes', () => {
    expect(printRestore(state)).toBe(
      'create A hash:ip family inet hashsize 2048 maxelem 65536 timeout 300 comment bucketsize 12 initval 0x2a5b4408\n' +
        'add A 10.0.0.1 timeout 5 comment "web"\n',
    )
  })

  it('are printed in the save format without the options that the kernel generates', () => {
    expect(printSave(state)).toBe(
      'create A hash:ip family inet hashsize 2048 maxelem 65536 timeout 300 comment\n' +
        'add A 10.0.0.1 timeout 5 comment "web"\n',
    )
  })

  it('are parsed correctly if they follow the comment "comment"', () => {
    const sets = [hashSet('hash:ip', 'A', [{ ...entry, options: ['comment', 'comment', 'timeout', '5'] }])]
    expect(printRestore({ sets })).toContain('add A 10.0.0.1 comment "comment" timeout 5\n')
  })

  it('are quoted if they contain spaces', () => {
    const sets = [hashSet('hash:ip', 'A', [{ ...entry, options: ['x', 'a b'] }])]
    expect(printRestore({ sets })).toContain('add A 10.0.0.1 x "a b"\n')
  })
})

describe('a repeated ipset entry', () => {
  it('is printed once in the save format, with the comment of the last entry', () => {
    const first = { kind: 'ip', address: '10.0.0.1', options: ['comment', 'old'] } as const
    const sets = [hashSet('hash:ip', 'A', [first, { ...first, options: ['comment', 'new'] }])]
    expect(printSave({ sets }).split('\n').slice(1)).toEqual(['add A 10.0.0.1 comment "new"', ''])
  })
})

describe('a set of type list:set', () => {
  it('is printed with its members in their order', () => {
    const entries = [{ kind: 'unknown', text: 'Z' } as const, { kind: 'unknown', text: 'A' } as const]
    const set: IpSet = { type: 'unknown', name: 'L', words: ['list:set', 'size', '8'], entries }
    expect(printSave({ sets: [set] })).toBe('create L list:set size 8\nadd L Z\nadd L A\n')
  })
})

describe('the ipset printers', () => {
  const ip = { kind: 'ip', address: '10.0.0.1' } as const

  it.each<[string, IpSet]>([
    ['an empty name', hashSet('hash:ip', '', [])],
    ['a name of 32 bytes', hashSet('hash:ip', 'N'.repeat(32), [])],
    ['a name of 31 characters and 32 bytes', hashSet('hash:ip', `${'N'.repeat(30)}é`, [])],
    ['a name with a blank', hashSet('hash:ip', 'A B', [])],
    ['a name with a quote', hashSet('hash:ip', 'A"B', [])],
    ['a name that is an option', hashSet('hash:ip', '-exist', [])],
    ['a name with a new line', hashSet('hash:ip', 'A\nflush', [])],
    ['a size that is not a number', hashSet('hash:ip', 'A', [], { hashsize: Number.NaN })],
    ['a fraction of a size', hashSet('hash:ip', 'A', [], { maxelem: 1.5 })],
    ['a negative size', hashSet('hash:ip', 'A', [], { maxelem: -1 })],
    ['an invalid port', portBitmap('A', [65536])],
    ['a fraction of a port', portBitmap('A', [1.5])],
    ['an invalid range', portBitmap('A', [], { lastPort: Number.POSITIVE_INFINITY })],
    ['an entry of another type', hashSet('hash:ip,port', 'A', [ip])],
    ['an invalid address', hashSet('hash:ip', 'A', [{ ...ip, address: 'example.org' }])],
    ['an address with options', hashSet('hash:ip', 'A', [{ ...ip, address: '10.0.0.1 timeout 0' }])],
    ['an address read as octal', hashSet('hash:ip', 'A', [{ ...ip, address: '010.0.0.1' }])],
    ['a protocol without ports', hashSet('hash:ip,port', 'A', [{ ...ip, kind: 'ip,port', protocol: 'icmp', port: 0 }])],
    ['a structured entry in an unknown set', { type: 'unknown', name: 'A', words: ['hash:net'], entries: [ip] }],
    ['a quote in a comment', hashSet('hash:ip', 'A', [{ ...ip, options: ['comment', 'say "hi"'] }])],
    ['an empty comment', hashSet('hash:ip', 'A', [{ ...ip, options: ['comment', ''] }])],
    ['a new line in a comment', hashSet('hash:ip', 'A', [{ ...ip, options: ['comment', 'a\nflush'] }])],
    ['a line separator in a comment', hashSet('hash:ip', 'A', [{ ...ip, options: ['comment', 'a\u2028b'] }])],
    ['a line that ipset reads as two', hashSet('hash:ip', 'A', [{ ...ip, options: ['comment', 'c'.repeat(1000)] }])],
  ])('reject %s', (_, set) => {
    expect(() => printRestore({ sets: [set] })).toThrow(/bug in kube-rules/)
    expect(() => printSave({ sets: [set] })).toThrow(/bug in kube-rules/)
  })

  it('accept a name of 31 bytes and a line of 1022 bytes', () => {
    const name = 'N'.repeat(31)
    expect(printRestore({ sets: [hashSet('hash:ip', name, [])] })).toMatch(new RegExp(`^create ${name} `))
    // add A 10.0.0.1 comment "…" without the comment has 25 bytes.
    const long = { ...ip, options: ['comment', 'c'.repeat(997)] }
    const lines = printRestore({ sets: [hashSet('hash:ip', 'A', [long])] }).split('\n')
    expect(lines[1]).toHaveLength(1022)
  })
})
