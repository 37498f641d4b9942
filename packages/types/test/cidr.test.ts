import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Cidr,
  cidrContains,
  hostPrefixLengthOf,
  parseCidr,
  parseMappedCidr,
  toHostPrefix,
  withoutHostPrefix,
} from '../src/cidr.js'
import { familyOf, parseIp } from '../src/ip.js'

const accepted: readonly (readonly [text: string, canonical: string])[] = [
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['10.0.0.1/32', '10.0.0.1/32'],
  ['255.255.255.255/17', '255.255.128.0/17'],
  ['1.2.3.4/0', '0.0.0.0/0'],
  ['010.0.0.0/08', '10.0.0.0/8'],
  ['::/0', '::/0'],
  ['FD00:0:0::12:34/64', 'fd00::/64'],
  ['fd00::ffff/125', 'fd00::fff8/125'],
  ['ffff:ffff::/17', 'ffff:8000::/17'],
  ['::1/128', '::1/128'],
]

const rejected: readonly string[] = [
  '',
  '10.0.0.0',
  '10.0.0.0/',
  '/8',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/+8',
  '10.0.0.0/8.0',
  '10.0.0.0/0x8',
  '10.0.0.0/1e1',
  '10.0.0.0/8/8',
  '10.0.0.0/255.0.0.0',
  '10.0.0/8',
  ' 10.0.0.0/8',
  '10.0.0.0/8 ',
  '10.0.0.0/ 8',
  '::/129',
  'fe80::%eth0/10',
  '::ffff:1.2.3.0/120',
  '::ffff:102:300/24',
]

describe('parseCidr', () => {
  it.each(accepted)('parses %s as %s', (text, canonical) => {
    const [address = '', prefix] = canonical.split('/')
    expect(parseCidr(text)).toEqual({
      family: familyOf(address),
      text: canonical,
      address,
      prefixLength: Number(prefix),
    })
  })

  it.each(rejected)('rejects %j', (text) => {
    expect(parseCidr(text)).toBeUndefined()
  })

  it.each([undefined, null, 8, {}, ['10.0.0.0/8']])('rejects the value %j because it is not text', (value) => {
    expect(parseCidr(value as never)).toBeUndefined()
  })

  it('returns its own output unchanged', () => {
    fc.assert(
      fc.property(network(), (cidr) => {
        expect(parseCidr(cidr.text)).toEqual(cidr)
      }),
    )
  })
})

describe('cidrContains', () => {
  it('returns true for addresses from the first to the last of the network, and false for all others', () => {
    const cidr = parseCidr('10.0.0.0/25') as Cidr
    expect(cidrContains(cidr, '10.0.0.0')).toBe(true)
    expect(cidrContains(cidr, '10.0.0.127')).toBe(true)
    expect(cidrContains(cidr, '10.0.0.128')).toBe(false)
    expect(cidrContains(cidr, '9.255.255.255')).toBe(false)
  })

  it('returns false for an address of the other IP family', () => {
    expect(cidrContains(parseCidr('0.0.0.0/0') as Cidr, '::1')).toBe(false)
    expect(cidrContains(parseCidr('::/0') as Cidr, '1.2.3.4')).toBe(false)
  })

  it('returns the same result as BlockList of node:net for arbitrary networks and addresses', () => {
    fc.assert(
      fc.property(network(), canonicalAddress(), (cidr, address) => {
        fc.pre(familyOf(address) === cidr.family)
        const type = cidr.family === 'IPv4' ? 'ipv4' : 'ipv6'
        const list = new BlockList()
        list.addSubnet(cidr.address, cidr.prefixLength, type)
        expect(cidrContains(cidr, address)).toBe(list.check(address, type))
      }),
      { numRuns: 500 },
    )
  })
})

describe('toHostPrefix and withoutHostPrefix', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1/32'],
    ['fd00::1', 'fd00::1/128'],
  ])('map the address %s to the network %s and back', (address, network) => {
    expect(toHostPrefix(address)).toBe(network)
    expect(withoutHostPrefix(network)).toBe(address)
    expect(parseCidr(network)).toEqual({
      family: familyOf(address),
      text: network,
      address,
      prefixLength: hostPrefixLengthOf(familyOf(address)),
    })
  })

  it.each(['10.0.0.0/8', '10.0.0.1', 'fd00::/32', 'fd00::1', '10.0.0.1/128', '', 'x/33'])(
    'leave %j unchanged, because this is not the network of a single address',
    (text) => {
      expect(withoutHostPrefix(text)).toBe(text)
    },
  )

  it('map an address to a network that contains only that address', () => {
    fc.assert(
      fc.property(canonicalAddress(), canonicalAddress(), (address, other) => {
        const network = parseCidr(toHostPrefix(address)) as Cidr
        expect(cidrContains(network, address)).toBe(true)
        expect(cidrContains(network, other)).toBe(other === address)
      }),
    )
  })
})

/** Generates addresses with few distinct bits, so that a random address often is in a random network. */
function canonicalAddress(): fc.Arbitrary<string> {
  const word = fc.constantFrom(0, 1, 0x8000, 0xff80, 0xffff)
  const ipv6 = fc.array(word, { minLength: 8, maxLength: 8 }).map((words) => words.map((w) => w.toString(16)).join(':'))
  const part = fc.constantFrom(0, 1, 128, 255)
  const ipv4 = fc.array(part, { minLength: 4, maxLength: 4 }).map((parts) => parts.join('.'))
  return fc.oneof(ipv4, ipv6).map((text) => parseIp(text)?.text ?? '')
}

function network(): fc.Arbitrary<Cidr> {
  return fc.tuple(canonicalAddress(), fc.nat(32), fc.nat(128)).map(([address, short, long]) => {
    return parseCidr(`${address}/${familyOf(address) === 'IPv4' ? short : long}`) as Cidr
  })
}

describe('parseMappedCidr', () => {
  it.each([
    ['::ffff:10.1.2.3/104', 'IPv4', '10.0.0.0/8'],
    ['::ffff:0a00:0000/104', 'IPv4', '10.0.0.0/8'],
    ['0:0:0:0:0:FFFF:1.2.3.4/128', 'IPv4', '1.2.3.4/32'],
    ['::ffff:1.2.3.4/096', 'IPv4', '0.0.0.0/0'],
    ['::ffff:1.2.3.4/95', 'IPv6', '::fffe:0:0/95'],
    ['::ffff:1.2.3.4/90', 'IPv6', '::ffc0:0:0/90'],
    ['::ffff:1.2.3.4/80', 'IPv6', '::/80'],
    ['::ffff:1.2.3.4/0', 'IPv6', '::/0'],
  ])('reads %s as the %s network %s', (text, family, expected) => {
    const cidr = parseMappedCidr(text)
    expect([cidr?.family, cidr?.text]).toEqual([family, expected])
    expect(parseCidr(expected)).toEqual(cidr)
  })

  it.each(['10.0.0.0/8', 'fd00::/8', '::ffff:10.0.0.0', '::ffff:10.0.0.0/129', '::ffff:10.0.0/104', '', '/'])(
    'returns undefined for %j, which is no mapped network',
    (text) => expect(parseMappedCidr(text)).toBeUndefined(),
  )
})
