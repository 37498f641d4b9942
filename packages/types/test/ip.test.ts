import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { familyOf, isLinkLocal, isLoopback, isMulticast, isUnspecified, joinHostPort, parseIp } from '../src/ip.js'

const accepted: readonly (readonly [text: string, canonical: string])[] = [
  ['10.0.0.1', '10.0.0.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  ['010.0.0.1', '10.0.0.1'],
  ['127.000.000.001', '127.0.0.1'],
  ['0000000192.168.1.08', '192.168.1.8'],
  ['::', '::'],
  ['::1', '::1'],
  ['1::', '1::'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['FD00::00AB', 'fd00::ab'],
  ['00001::2', '1::2'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
  ['1::3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
  ['1:0:0:4:0:0:0:8', '1:0:0:4::8'],
  ['1:0:0:4:5:0:0:8', '1::4:5:0:0:8'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
  ['0:0:3:4:5:6:0:0', '::3:4:5:6:0:0'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
  ['::1.2.3.4', '::102:304'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::FFFF:102:304', '1.2.3.4'],
  ['0:0:0:0:0:ffff:01.2.3.4', '1.2.3.4'],
  ['0:0:0:0:000000:ffff:127.1.2.3', '127.1.2.3'],
  ['::ffff:0:1.2.3.4', '::ffff:0:102:304'],
]

const rejected: readonly string[] = [
  '',
  ' ',
  'None',
  'localhost',
  '10.1',
  '10.0.0',
  '10.0.0.1.',
  '.10.0.0.1',
  '10..0.1',
  '10.0.0.1.2',
  '10.0.0.256',
  '10.0.0.0256',
  '10.0.0.-1',
  '10.0.0.+1',
  '0x0a.0.0.1',
  '10.0.0.1 ',
  ' 10.0.0.1',
  '10.0.0.1\n',
  '10.0.0.1/32',
  '10.0.0.1:80',
  '10.0.0.\u0661',
  '4294967295',
  ':',
  ':::',
  ':1',
  '1:',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7:8::',
  '1::2:3:4:5:6:7:8',
  '1::2::3',
  '1:::2',
  '::g',
  '::12345',
  '::-1',
  '[::1]',
  '::1%eth0',
  'fe80::1%lo0',
  '1.2.3.4::',
  '1.2.3.4::1',
  '::1.2.3.4:5',
  '1:2:3:4:5:6:7:1.2.3.4',
  '1:2:3:4:5:6::1.2.3.4',
  '1:2:3:4:1.2.3.4',
  '::1.2.3',
  '::1.2.3.256',
  '::ffff:1.2.3.4.5',
]

describe('parseIp', () => {
  it.each(accepted)('parses %s as %s', (text, canonical) => {
    const family = canonical.includes(':') ? 'IPv6' : 'IPv4'
    expect(parseIp(text)).toEqual({ family, text: canonical })
  })

  it.each(rejected)('rejects %j', (text) => {
    expect(parseIp(text)).toBeUndefined()
  })

  it.each([undefined, null, 1, true, {}, [], ['10.0.0.1'], { toString: () => '10.0.0.1' }])(
    'rejects the value %j because it is not text',
    (value) => {
      expect(parseIp(value as never)).toBeUndefined()
    },
  )

  it('returns canonical IPv4 text unchanged', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        expect(parseIp(text)).toEqual({ family: 'IPv4', text })
      }),
    )
  })

  it('prints IPv6 addresses in the same form as the WHATWG URL parser', () => {
    fc.assert(
      fc.property(ipv6Text(), (text) => {
        const expected = new URL(`http://[${text}]/`).hostname.slice(1, -1)
        fc.pre(!expected.startsWith('::ffff:') || expected.split(':').length !== 5)
        expect(parseIp(text)).toEqual({ family: 'IPv6', text: expected })
      }),
    )
  })

  it('accepts the same addresses as isIP of node:net, apart from leading zeros and zones', () => {
    const nearMiss = fc.string({
      unit: fc.constantFrom('::', ':', '.', '1', '2', 'f', '25', '1.2.3.4', 'g'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(nearMiss, (text) => {
        fc.pre(!/[0-9a-f]{5}/i.test(text))
        expect(parseIp(text) !== undefined).toBe(isIP(text) !== 0)
      }),
      { numRuns: 2000 },
    )
  })

  it('returns its own output unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), ipv6Text()), (text) => {
        const once = parseIp(text)
        expect(parseIp(once?.text ?? '')).toEqual(once)
      }),
    )
  })
})

/**
 * Generates every group spelling: full, short, upper case, compressed at any position, and dotted decimal at the end.
 */
function ipv6Text(): fc.Arbitrary<string> {
  const word = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 0xffff }))
  const full = fc
    .array(word, { minLength: 8, maxLength: 8 })
    .map((words) => words.map((w) => w.toString(16).padStart(4, '0')))
  return fc.oneof(
    fc.ipV6(),
    full.map((groups) => groups.join(':').toUpperCase()),
  )
}

describe('the predicate', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['::1', true],
    ['128.0.0.1', false],
    ['12.7.0.1', false],
    ['::11', false],
  ])('isLoopback(%s) is %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected)
  })

  it.each([
    ['169.254.0.1', true],
    ['169.25.4.1', false],
    ['fe80::1', true],
    ['febf::1', true],
    ['fec0::1', false],
    ['fe8::1', false],
  ])('isLinkLocal(%s) is %s', (address, expected) => {
    expect(isLinkLocal(address)).toBe(expected)
  })

  it.each([
    ['0.0.0.0', true],
    ['::', true],
    ['0.0.0.1', false],
    ['::1', false],
  ])('isUnspecified(%s) is %s', (address, expected) => {
    expect(isUnspecified(address)).toBe(expected)
  })

  it.each([
    ['224.0.0.1', true],
    ['229.1.1.1', true],
    ['239.255.255.255', true],
    ['223.255.255.255', false],
    ['240.0.0.1', false],
    ['22.4.0.1', false],
    ['ff02::1', true],
    ['ff::1', false],
    ['fe80::ff02', false],
  ])('isMulticast(%s) is %s', (address, expected) => {
    expect(isMulticast(address)).toBe(expected)
  })
})

describe('joinHostPort', () => {
  it('puts brackets around IPv6 addresses only', () => {
    expect(joinHostPort('10.0.0.1', 80)).toBe('10.0.0.1:80')
    expect(joinHostPort('fd00::1', 80)).toBe('[fd00::1]:80')
  })
})

describe('familyOf', () => {
  it('returns the family of an address', () => {
    expect(familyOf('10.0.0.1')).toBe('IPv4')
    expect(familyOf('::')).toBe('IPv6')
  })
})
