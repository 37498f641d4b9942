import { describe, expect, it } from 'vitest'
import { formatHex, formatPaddedHex, parseMark } from '../../../src/dataplane/iptables/mark.js'
import {
  formatKernelProbability,
  isProbability,
  probabilityToFraction,
} from '../../../src/dataplane/iptables/matches/statistic.js'
import {
  hostMaskOf,
  isZeroCidr,
  networkContains,
  parseNetwork,
  withPrefixLength,
} from '../../../src/dataplane/iptables/network.js'
import {
  consumeNumber,
  consumeText,
  consumeWord,
  parseNumber,
  peekWord,
  skipWord,
} from '../../../src/dataplane/iptables/words.js'
import { formatFraction } from '../../../src/internal/fraction.js'

const V4_MASK = '255.255.255.255'
const V6_MASK = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'

describe('the words of a rule', () => {
  it('are consumed one after another', () => {
    const words = { raw: ['-m', '"comment"', '"a b"', '80', '-x'], at: 0 }
    expect([peekWord(words), skipWord(words, '-s'), words.at]).toEqual(['-m', false, 0])
    expect([skipWord(words, '-m'), words.at]).toEqual([true, 1])
    expect([consumeWord(words), consumeText(words), consumeNumber(words, 80), words.at]).toEqual([
      'comment',
      'a b',
      80,
      4,
    ])
    expect([consumeText(words), words.at]).toEqual(['-x', 5])
    expect([peekWord(words), consumeText(words), consumeWord(words), consumeNumber(words, 1), words.at]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      5,
    ])
  })

  it.each([
    ['a', 'a'],
    ['"a"', 'a'],
    ['a"b"', 'ab'],
    ['"a b"', undefined],
    ['""', undefined],
    ['a\\', 'a\\'],
  ])('include %s as the name %s', (word, name) => {
    const words = { raw: [word], at: 0 }
    expect([consumeWord(words), words.at]).toEqual([name, 1])
  })
})

describe('parseNumber', () => {
  it.each([
    ['80', 80],
    ['0', 0],
    ['00', 0],
    ['0120', 80],
    ['08', undefined],
    ['0x50', 80],
    ['0X5a', 90],
    ['0x', undefined],
    ['x50', undefined],
    ['50x', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e2', undefined],
    ['', undefined],
    [undefined, undefined],
    ['65535', 65535],
    ['65536', undefined],
    ['0x10000', undefined],
    ['0200000', undefined],
  ])('maps %s to %s', (text, number) => {
    expect(parseNumber(text, 65535)).toBe(number)
  })
})

describe('a mark in a rule', () => {
  it.each([
    ['0x4000', { value: 0x4000, mask: 0xffffffff }],
    ['1/0x3', { value: 1, mask: 3 }],
    ['0xffffffff/0', { value: 0xffffffff, mask: 0 }],
    ['1/2/3', undefined],
    ['0x100000000', undefined],
    ['1/0x100000000', undefined],
    ['1/', undefined],
    ['/1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is parsed from %s, or rejected if the text is invalid', (text, mark) => {
    expect(parseMark(text)).toEqual(mark)
  })

  it.each([
    [0x4000, '0x00004000', '0x4000'],
    [0, '0x00000000', '0x0'],
    [0xffffffff, '0xffffffff', '0xffffffff'],
  ])('is printed: %d as %s with padding, and as %s without padding', (value, padded, short) => {
    expect([formatPaddedHex(value), formatHex(value)]).toEqual([padded, short])
  })
})

describe('a network in a rule', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.1/32', '10.0.0.1/32'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/0', '0.0.0.0/0'],
    ['10.1.2.3/255.255.0.0', '10.1.0.0/16'],
    ['10.1.2.3/255.255.255.255', '10.1.2.3/32'],
    ['10.1.2.3/255.255.255.254', '10.1.2.2/31'],
    ['10.1.2.3/0.0.0.0', '0.0.0.0/0'],
    ['10.0.0.1/33', undefined],
    ['10.0.0.1/08', undefined],
    ['10.0.0.1/-1', undefined],
    ['10.0.0.1/255.0.255.0', undefined],
    ['10.0.0.1/', undefined],
    ['10.0.0.1/8/8', undefined],
    ['010.0.0.1', undefined],
    ['10.1', undefined],
    ['/8', undefined],
    ['', undefined],
    ['fd00::1', undefined],
  ])('is parsed from the IPv4 text %s as %s', (text, network) => {
    expect(parseNetwork(text, 'IPv4')).toBe(network)
  })

  it.each([
    ['FD00:0::1', 'fd00::1'],
    ['fd00::1/128', 'fd00::1/128'],
    ['fd00:0::1/128', 'fd00::1/128'],
    ['fd00::1/64', 'fd00::/64'],
    ['fd00::1/ffff:ffff::', 'fd00::/32'],
    [`fd00::1/${V6_MASK}`, 'fd00::1/128'],
    ['fd00::1/129', undefined],
    ['fd00::1/ffff::ffff', undefined],
    ['::ffff:10.0.0.1', undefined],
    ['10.0.0.1', undefined],
  ])('is parsed from the IPv6 text %s as %s', (text, network) => {
    expect(parseNetwork(text, 'IPv6')).toBe(network)
  })

  it.each([
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.10', false],
    ['10.0.0.1/32', '10.0.0.1', true],
    ['10.0.0.1/32', '10.0.0.10', false],
    ['10.0.0.10/32', '10.0.0.1', false],
    ['10.0.0.0/8', '10.0.0.0', true],
    ['10.0.0.0/8', '10.9.9.9', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['0.0.0.0/0', '192.0.2.1', true],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe00::1', false],
    ['fd00::1/128', 'fd00::1', true],
  ])('%s contains the address %s: %s', (network, address, holds) => {
    expect(networkContains(network, address)).toBe(holds)
  })

  it('has a prefix length, and matches all addresses only if the length is 0', () => {
    expect([withPrefixLength('10.0.0.1', 'IPv4'), withPrefixLength('fd00::1', 'IPv6')]).toEqual([
      '10.0.0.1/32',
      'fd00::1/128',
    ])
    expect(withPrefixLength('10.0.0.0/8', 'IPv4')).toBe('10.0.0.0/8')
    expect(['0.0.0.0/0', '::/0', '10.0.0.0/8', '10.0.0.0/10', '0.0.0.0'].map(isZeroCidr)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect([hostMaskOf('IPv4'), hostMaskOf('IPv6')]).toEqual([V4_MASK, V6_MASK])
  })
})

describe('a probability in an iptables rule', () => {
  it.each(['0', '1', '1.0', '1.', '.5', '0.5', '5e-1', '1E0', '2e-1', '0.05e+1'])('is accepted: %s', (text) => {
    expect(isProbability(text)).toBe(true)
  })

  it.each(['', '.', '1.1', '2', '-0.5', '0.5.1', 'e1', '1e', '5e-1x', 'x0', '1e1'])('is rejected: %s', (text) => {
    expect(isProbability(text)).toBe(false)
  })

  it.each([
    ['0', '0.00000000000', '0'],
    ['1', '1.00000000000', '1'],
    ['0.5', '0.50000000000', '1/2'],
    ['0.3333333333', '0.33333333349', '1/3'],
    ['0.33333333349', '0.33333333349', '1/3'],
    ['0.1428571429', '0.14285714272', '1/7'],
    ['0.66666666651', '0.66666666651', '1431655765/2147483648'],
    ['0.00000000046', '0.00000000047', '1/2147483648'],
    ['0.00000000001', '0.00000000000', '0'],
    ['0.001220703125', '0.00122070312', '5/4096'],
    ['0.001708984375', '0.00170898438', '7/4096'],
  ])('is converted: %s is stored as %s in the kernel and means %s', (text, kept, share) => {
    expect([formatKernelProbability(text), formatFraction(probabilityToFraction(text))]).toEqual([kept, share])
  })
})
