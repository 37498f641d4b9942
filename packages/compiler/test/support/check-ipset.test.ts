import { describe, expect, it } from 'vitest'
import type { Entry, IpSet } from '../../src/dataplane/ipset/ast.js'
import { CASES, hashSet, portBitmap } from '../dataplane/ipset/states.js'
import { checkIpset } from './check-ipset.js'

const ip = { kind: 'ip', address: '10.0.0.1' } as const
const ipPort = { kind: 'ip,port', address: '10.0.0.1', protocol: 'tcp', port: 80 } as const

describe('checkIpset', () => {
  it.each(CASES)('reports no problem in a valid set: $title', ({ set }) => {
    expect(checkIpset({ sets: [set] })).toEqual([])
  })

  it('accepts the first and the last port of a range', () => {
    expect(checkIpset({ sets: [portBitmap('A', [100, 200], { firstPort: 100, lastPort: 200 })] })).toEqual([])
    expect(checkIpset({ sets: [portBitmap('A', [7], { firstPort: 7, lastPort: 7 })] })).toEqual([])
  })

  it('accepts the minimum and the maximum size', () => {
    expect(checkIpset({ sets: [hashSet('hash:ip', 'A', [], { hashsize: 1, maxelem: 4294967295 })] })).toEqual([])
  })

  it('accepts names of 31 bytes, full sets and unknown entries', () => {
    const entries: readonly Entry[] = [ip, ip, { kind: 'unknown', text: '10.0.0.4-10.0.0.6' }]
    expect(checkIpset({ sets: [hashSet('hash:ip', 'N'.repeat(31), entries, { maxelem: 2 })] })).toEqual([])
  })
})

describe('checkIpset', () => {
  function problems(...sets: readonly IpSet[]): readonly unknown[] {
    return checkIpset({ sets }).map(({ path, message }) => [path, message])
  }

  it('reports an invalid range with its set, field and expected value', () => {
    expect(checkIpset({ sets: [portBitmap('PORTS', [], { firstPort: 7, lastPort: 5 })] })).toEqual([
      {
        severity: 'error',
        code: 'structure',
        object: { kind: 'ipset', name: 'PORTS' },
        path: 'firstPort',
        message: '7-5 is not a range of ports',
        expected: '0 to 65535',
      },
    ])
  })

  it('reports an invalid name and an invalid size with the allowed values', () => {
    const [name, size] = checkIpset({ sets: [hashSet('hash:ip', '-A', [], { maxelem: 0 })] })
    expect(name?.expected).toBe('one word of 1 to 31 bytes')
    expect(size?.expected).toBe('a whole number from 1 to 4294967295')
  })

  it.each(['', 'N'.repeat(32), `${'N'.repeat(30)}é`, 'A B', '-A', 'A\n'])('reports the invalid name %j', (name) => {
    expect(problems(hashSet('hash:ip', name, []))).toEqual([['name', 'cannot be the name of a set']])
  })

  it('reports a duplicate name', () => {
    expect(problems(hashSet('hash:ip', 'A', []), portBitmap('A', []))).toEqual([['name', 'another set has this name']])
  })

  it.each<[string, IpSet, string, string]>([
    ['a set without type', { type: 'unknown', name: 'A', words: [], entries: [] }, 'words', 'the set has no type'],
    [
      'an IPv6 address in a set of family inet',
      hashSet('hash:ip', 'A', [{ ...ip, address: 'fd00::1' }]),
      'entries[0]',
      'fd00::1 is not IPv4, the family of the set',
    ],
    [
      'an IPv4 address in a set of family inet6',
      hashSet('hash:ip,port', 'A', [ipPort], { family: 'inet6' }),
      'entries[0]',
      '10.0.0.1 is not IPv6, the family of the set',
    ],
    [
      'a second address of the other family',
      hashSet('hash:ip,port,ip', 'A', [{ ...ipPort, kind: 'ip,port,ip', secondAddress: '::1' }]),
      'entries[0]',
      '::1 is not IPv4, the family of the set',
    ],
    [
      'a network of the other family',
      hashSet('hash:ip,port,net', 'A', [{ ...ipPort, kind: 'ip,port,net', network: 'fd00::/8' }]),
      'entries[0]',
      'fd00::/8 is not IPv4, the family of the set',
    ],
    [
      'the zero CIDR',
      hashSet('hash:ip,port,net', 'A', [{ ...ipPort, kind: 'ip,port,net', network: '0.0.0.0/0' }]),
      'entries[0]',
      'hash:ip,port,net cannot contain a network with prefix length 0',
    ],
    [
      'an entry of another type',
      hashSet('hash:ip,port', 'A', [ipPort, ip]),
      'entries[1]',
      '10.0.0.1 is not an entry of hash:ip,port',
    ],
    [
      'an address with the text of an entry of another type',
      hashSet('hash:ip,port', 'A', [{ kind: 'ip', address: '10.0.0.1,tcp:80' }]),
      'entries[0]',
      '10.0.0.1,tcp:80 is not an entry of hash:ip,port',
    ],
    [
      'a port out of range',
      hashSet('hash:ip,port', 'A', [{ ...ipPort, port: 65536 }]),
      'entries[0]',
      '10.0.0.1,tcp:65536 is not an entry of hash:ip,port',
    ],
    [
      'a port below the range of the bitmap',
      portBitmap('A', [99], { firstPort: 100 }),
      'entries[0]',
      'port 99 is outside the range 100-65535',
    ],
    [
      'a port above the range of the bitmap',
      portBitmap('A', [201], { lastPort: 200 }),
      'entries[0]',
      'port 201 is outside the range 0-200',
    ],
    ['an invalid port', portBitmap('A', [-1]), 'entries[0]', '-1 is not an entry of bitmap:port'],
    [
      'a range that starts with a negative port',
      portBitmap('A', [], { firstPort: -1 }),
      'firstPort',
      '-1-65535 is not a range of ports',
    ],
    [
      'a range that starts with a fraction',
      portBitmap('A', [], { firstPort: 1.5 }),
      'firstPort',
      '1.5-65535 is not a range of ports',
    ],
    [
      'a range that ends after the last port',
      portBitmap('A', [], { lastPort: 65536 }),
      'firstPort',
      '0-65536 is not a range of ports',
    ],
    [
      'more entries than maxelem',
      hashSet('hash:ip', 'A', [ip, { ...ip, address: '10.0.0.2' }], { maxelem: 1 }),
      'entries',
      '2 entries are more than maxelem 1',
    ],
    ['an invalid size', hashSet('hash:ip', 'A', [], { hashsize: 1.5 }), 'hashsize', '1.5 is not a size'],
    [
      'a size out of range',
      hashSet('hash:ip', 'A', [], { maxelem: 4294967296 }),
      'maxelem',
      '4294967296 is not a size',
    ],
    ['a size of zero', hashSet('hash:ip', 'A', [], { maxelem: 0 }), 'maxelem', '0 is not a size'],
  ])('%s', (_, set, path, message) => {
    expect(problems(set)).toEqual([[path, message]])
  })
})
