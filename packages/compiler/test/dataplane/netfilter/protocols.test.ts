import { describe, expect, it } from 'vitest'
import { canonicalProtocol, protocolNumber } from '../../../src/dataplane/netfilter/protocols.js'

describe('protocolNumber', () => {
  it.each([
    ['tcp', 6],
    ['sctp', 132],
    ['icmpv6', 58],
    ['ipv6-icmp', 58],
    ['all', 0],
    ['255', 255],
    ['256', undefined],
    ['other', undefined],
    ['constructor', undefined],
  ])('%s is %s', (protocol, number) => {
    expect(protocolNumber(protocol)).toBe(number)
  })
})

describe('canonicalProtocol', () => {
  it.each([
    ['6', 'tcp'],
    ['icmpv6', 'ipv6-icmp'],
    ['mh', 'mobility-header'],
    ['all', '0'],
    ['255', '255'],
    ['other', 'other'],
  ])('%s is %s', (protocol, canonical) => {
    expect(canonicalProtocol(protocol)).toBe(canonical)
  })
})
