import { describe, expect, it } from 'vitest'
import {
  formatAddress,
  numberToBytes,
  parseAddressNumber,
} from '../../../../src/dataplane/nftables/keys/address-numbers.js'
import {
  type Interval,
  isIntervalKey,
  isNumericType,
  mergeIntervals,
  parseInterval,
  printInterval,
} from '../../../../src/dataplane/nftables/keys/intervals.js'

const interval = (first: bigint, last: bigint): Interval => ({ first, last })

describe('an address as a number', () => {
  it.each<readonly [string, 'IPv4' | 'IPv6', bigint]>([
    ['0.0.0.0', 'IPv4', 0n],
    ['1.2.3.4', 'IPv4', 0x01020304n],
    ['255.255.255.255', 'IPv4', 0xffffffffn],
    ['::', 'IPv6', 0n],
    ['::1', 'IPv6', 1n],
    ['1::', 'IPv6', 1n << 112n],
    ['fd00::2:3', 'IPv6', (0xfd00n << 112n) | 0x20003n],
    ['1:2:3:4:5:6:7:8', 'IPv6', 0x00010002000300040005000600070008n],
    ['::ffff:1.2.3.4', 'IPv6', 0xffff01020304n],
    ['::fffe:102:304', 'IPv6', 0xfffe01020304n],
  ])('is converted back to %s', (text, family, number) => {
    expect(parseAddressNumber(text)).toEqual({ family, number })
    expect(formatAddress(number, family)).toBe(text)
  })

  it('is the same for a non-canonical notation', () => {
    expect(parseAddressNumber('FD00:0::1')).toEqual({ family: 'IPv6', number: (0xfd00n << 112n) | 1n })
    expect(parseAddressNumber('::ffff:102:304')).toEqual({ family: 'IPv6', number: 0xffff01020304n })
  })

  it.each(['', '1.2.3', '01.2.3.4', '1.2.3.4/8', '1.2.3.256', 'lo', ':', '[::1]'])(
    'does not exist for the text %j',
    (text) => {
      expect(parseAddressNumber(text)).toBeUndefined()
    },
  )

  it('has the number of bytes of its family', () => {
    expect(numberToBytes(0x01020304n, 4)).toEqual([1, 2, 3, 4])
    expect(numberToBytes(0x1ffn, 3)).toEqual([0, 1, 255])
  })
})

describe('parseInterval', () => {
  it.each<[string, string, bigint, bigint, string?]>([
    ['ipv4_addr', '10.0.0.1', 0x0a000001n, 0x0a000001n],
    ['ipv4_addr', '10.0.0.1/32', 0x0a000001n, 0x0a000001n, '10.0.0.1'],
    ['ipv4_addr', '10.1.2.3/8', 0x0a000000n, 0x0affffffn, '10.0.0.0/8'],
    ['ipv4_addr', '0.0.0.0/0', 0n, 0xffffffffn],
    ['ipv4_addr', '10.0.0.0-10.0.0.1', 0x0a000000n, 0x0a000001n, '10.0.0.0/31'],
    ['ipv4_addr', '10.0.0.1-10.0.0.2', 0x0a000001n, 0x0a000002n],
    ['ipv4_addr', '10.0.0.0-10.0.0.2', 0x0a000000n, 0x0a000002n],
    ['ipv4_addr', '10.0.0.1-10.0.0.1', 0x0a000001n, 0x0a000001n, '10.0.0.1'],
    ['ipv6_addr', '::/0', 0n, (1n << 128n) - 1n],
    ['ipv6_addr', 'FD00::1/128', (0xfd00n << 112n) | 1n, (0xfd00n << 112n) | 1n, 'fd00::1'],
    ['ipv6_addr', '::1-::2', 1n, 2n],
    ['inet_service', '0', 0n, 0n],
    ['inet_service', '65535', 65_535n, 65_535n],
    ['inet_service', '0-65535', 0n, 65_535n],
    ['inet_service', '8-15', 8n, 15n],
    ['inet_service', '8/13', 8n, 15n, '8-15'],
    ['mark', '0xffffffff', 0xffffffffn, 0xffffffffn],
    ['mark', '16-31', 16n, 31n, '0x00000010/28'],
    ['mark', '16-32', 16n, 32n, '0x00000010-0x00000020'],
    ['mark', '17-32', 17n, 32n, '0x00000011-0x00000020'],
    ['mark', '3-5', 3n, 5n, '0x00000003-0x00000005'],
    ['mark', '0x00000010/28', 16n, 31n],
  ])('as type %s parses the interval %s', (type, key, first, last, printed = key) => {
    expect(parseInterval(key, type)).toEqual({ first, last })
    expect(printInterval({ first, last }, type)).toBe(printed)
  })

  it.each([
    ['ipv4_addr', '::1'],
    ['ipv4_addr', '10.0.0.0/33'],
    ['ipv4_addr', '10.0.0.0/'],
    ['ipv4_addr', '10.0.0.0/x'],
    ['ipv4_addr', '10.0.0.0/8x'],
    ['ipv4_addr', '10.0.0.0/-8'],
    ['ipv4_addr', '10.0.0.0/0008'],
    ['ipv4_addr', '/8'],
    ['ipv4_addr', 'x/8'],
    ['ipv4_addr', '10.0.0.2-10.0.0.1'],
    ['ipv4_addr', '10.0.0.1-'],
    ['ipv4_addr', '-10.0.0.1'],
    ['ipv4_addr', 'x-10.0.0.1'],
    ['ipv4_addr', '10.0.0.1-x'],
    ['ipv6_addr', '10.0.0.1'],
    ['ipv6_addr', '::/129'],
    ['inet_service', '65536'],
    ['inet_service', '80-65536'],
    ['inet_service', 'http'],
    ['mark', '4294967296'],
    ['inet_proto', '6'],
    ['', '6'],
  ])('as type %s rejects the interval %s', (type, key) => {
    expect(parseInterval(key, type)).toBeUndefined()
  })

  it('recognizes intervals by the notation of the key, but only for some types', () => {
    expect(['10.0.0.1', '10.0.0.0/8', '80-90', 'lo', 'any-way', '/'].map(isIntervalKey)).toEqual([
      ...[false, true, true],
      ...[false, true, true],
    ])
    const types = ['ipv4_addr', 'ipv6_addr', 'inet_service', 'mark']
    expect([...types, 'inet_proto', 'ifname', 'integer', ''].filter(isNumericType)).toEqual(types)
  })
})

describe('mergeIntervals', () => {
  it.each<readonly [string, readonly Interval[], readonly Interval[]]>([
    ['no intervals', [], []],
    ['one interval', [interval(1n, 2n)], [interval(1n, 2n)]],
    ['intervals with gaps', [interval(5n, 6n), interval(1n, 3n)], [interval(1n, 3n), interval(5n, 6n)]],
    ['adjacent intervals', [interval(4n, 6n), interval(1n, 3n)], [interval(1n, 6n)]],
    ['overlapping intervals', [interval(1n, 4n), interval(2n, 6n)], [interval(1n, 6n)]],
    ['intervals inside others', [interval(1n, 9n), interval(2n, 3n)], [interval(1n, 9n)]],
    ['intervals with the same end', [interval(1n, 9n), interval(2n, 9n)], [interval(1n, 9n)]],
    ['intervals with the same start', [interval(1n, 3n), interval(1n, 9n)], [interval(1n, 9n)]],
    ['equal intervals', [interval(1n, 3n), interval(1n, 3n)], [interval(1n, 3n)]],
    [
      'three intervals of which two are adjacent',
      [interval(7n, 8n), interval(1n, 2n), interval(3n, 4n)],
      [interval(1n, 4n), interval(7n, 8n)],
    ],
  ])('merges %s', (_, given, merged) => {
    expect(mergeIntervals(given)).toEqual(merged)
    expect(mergeIntervals([...given].reverse())).toEqual(merged)
  })
})
