import { describe, expect, it } from 'vitest'
import { canonicalizeProtocol, parseProtocolNumber } from '../../../src/dataplane/netfilter/protocols.js'

/** The numbers of IANA with the names of Debian's /etc/protocols and iptables. */
const ASSIGNED: readonly (readonly [string, number])[] = [
  ['icmp', 1],
  ['igmp', 2],
  ['ipencap', 4],
  ['tcp', 6],
  ['udp', 17],
  ['dccp', 33],
  ['ipv6', 41],
  ['gre', 47],
  ['esp', 50],
  ['ah', 51],
  ['ipv6-icmp', 58],
  ['ospf', 89],
  ['pim', 103],
  ['vrrp', 112],
  ['sctp', 132],
  ['mobility-header', 135],
  ['udplite', 136],
]

it.each(ASSIGNED)('the protocol %s has the number %d and vice versa', (name, number) => {
  expect([parseProtocolNumber(name), canonicalizeProtocol(String(number))]).toEqual([number, name])
})

describe('parseProtocolNumber', () => {
  it.each([
    ['tcp', 6],
    ['sctp', 132],
    ['icmpv6', 58],
    ['mh', 135],
    ['ipv6-mh', 135],
    ['0', 0],
    ['999', undefined],
    ['1000', undefined],
    ['x6', undefined],
    ['6x', undefined],
    ['ipv6-icmp', 58],
    ['all', 0],
    ['255', 255],
    ['256', undefined],
    ['other', undefined],
    ['constructor', undefined],
  ])('maps %s to %s', (protocol, number) => {
    expect(parseProtocolNumber(protocol)).toBe(number)
  })
})

describe('canonicalizeProtocol', () => {
  it.each([
    ['6', 'tcp'],
    ['icmpv6', 'ipv6-icmp'],
    ['mh', 'mobility-header'],
    ['all', '0'],
    ['255', '255'],
    ['other', 'other'],
  ])('maps %s to %s', (protocol, canonical) => {
    expect(canonicalizeProtocol(protocol)).toBe(canonical)
  })
})
