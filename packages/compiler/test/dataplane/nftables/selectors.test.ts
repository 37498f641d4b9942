import { describe, expect, it } from 'vitest'
import { parseSelectors } from '../../../../analyzer/src/dataplane/nftables/parse/parse-key.js'
import type { Selector } from '../../../src/dataplane/nftables/ast.js'
import type { Scanner } from '../../../src/dataplane/nftables/parse/scanner.js'
import {
  formatSelector,
  isFibFlag,
  isMetaShorthand,
  isSupportedProtocol,
  typeOfSelector,
  typesOfSelectors,
} from '../../../src/dataplane/nftables/selectors.js'

/** Parses selectors, and returns the end position. */
function read(source: string): readonly [readonly Selector[] | undefined, number] {
  const scanner: Scanner = { source, at: 0 }
  return [parseSelectors(scanner), scanner.at]
}

const PORTS = ['tcp', 'udp', 'sctp', 'dccp', 'udplite', 'th']

describe('a packet selector', () => {
  it.each<readonly [string, string]>([
    ['ip saddr', 'ipv4_addr'],
    ['ip daddr', 'ipv4_addr'],
    ['ip protocol', 'inet_proto'],
    ['ip ttl', 'integer'],
    ['ip length', 'integer'],
    ['ip6 saddr', 'ipv6_addr'],
    ['ip6 daddr', 'ipv6_addr'],
    ['ip6 nexthdr', 'inet_proto'],
    ['ip6 hoplimit', 'integer'],
    ['ip6 length', 'integer'],
    ...PORTS.flatMap((protocol): readonly (readonly [string, string])[] => [
      [`${protocol} sport`, 'inet_service'],
      [`${protocol} dport`, 'inet_service'],
    ]),
    ['icmp type', 'icmp_type'],
    ['icmp code', 'icmp_code'],
    ['icmpv6 type', 'icmpv6_type'],
    ['icmpv6 code', 'icmpv6_code'],
    ['ether saddr', 'ether_addr'],
    ['ether daddr', 'ether_addr'],
    ['ether type', 'ether_type'],
    ['vlan id', 'integer'],
    ['meta l4proto', 'inet_proto'],
    ['meta nfproto', 'nf_proto'],
    ['meta protocol', 'ether_type'],
    ['meta mark', 'mark'],
    ['iif', 'iface_index'],
    ['oif', 'iface_index'],
    ['iifname', 'ifname'],
    ['oifname', 'ifname'],
    ['meta pkttype', 'pkt_type'],
    ['meta skuid', 'uid'],
    ['meta skgid', 'gid'],
    ['ct state', 'ct_state'],
    ['ct status', 'ct_status'],
    ['ct direction', 'ct_dir'],
    ['ct mark', 'mark'],
    ['fib daddr type', 'fib_addrtype'],
    ['fib saddr oif', 'fib_oif'],
    ['fib saddr . iif oifname', 'fib_oif'],
    ['fib saddr . daddr . mark . iif . oif type', 'fib_addrtype'],
    ['numgen random mod 2', 'integer'],
    ['numgen inc mod 2 offset 5', 'integer'],
  ])('has a known type: %s has the type %s', (words, type) => {
    const [selectors, at] = read(`${words} x`)
    expect(at).toBe(words.length)
    expect(selectors?.map(formatSelector)).toEqual([words])
    expect(selectors?.map(typeOfSelector)).toEqual([type])
  })

  it.each<readonly [string, string]>([
    ['mark', 'meta mark'],
    ['skuid', 'meta skuid'],
    ['skgid', 'meta skgid'],
    ['pkttype', 'meta pkttype'],
    ['meta iif', 'iif'],
    ['meta oif', 'oif'],
    ['meta iifname', 'iifname'],
    ['meta oifname', 'oifname'],
    ['numgen inc mod 2 offset 0', 'numgen inc mod 2'],
  ])('is accepted in two notations: %s and %s', (written, listed) => {
    expect(read(written)[0]?.map(formatSelector)).toEqual([listed])
  })

  it('may be a concatenation', () => {
    expect(read('ip saddr . meta l4proto . th dport { }')).toEqual([
      [
        { kind: 'payload', protocol: 'ip', field: 'saddr' },
        { kind: 'meta', key: 'l4proto' },
        { kind: 'payload', protocol: 'th', field: 'dport' },
      ],
      'ip saddr . meta l4proto . th dport'.length,
    ])
    expect(read('ip saddr.ip daddr')[0]).toBeUndefined()
  })

  it.each([
    '',
    '"ip" saddr',
    'l4proto',
    'nfproto',
    'what saddr',
    'toString saddr',
    'ip',
    'ip what',
    'ip toString',
    'ip sport',
    'th saddr',
    'meta',
    'meta what',
    'meta toString',
    'ct',
    'ct what',
    'ip saddr .',
    'ip saddr . what',
    'fib',
    'fib type',
    'fib what type',
    'fib saddr',
    'fib saddr what',
    'fib saddr . type',
    'fib saddr . what type',
    'numgen',
    'numgen other mod 2',
    'numgen random 2',
    'numgen random mod',
    'numgen random mod x',
    'numgen random mod 2 offset',
    'numgen random mod 2 offset x',
  ])('is not recognized in %j', (words) => {
    expect(read(words)[0]).toBeUndefined()
  })

  it('may be a keyword without arguments, or have flags', () => {
    const words = ['iif', 'oif', 'iifname', 'oifname', 'mark', 'skuid', 'skgid', 'pkttype']
    expect([...words, 'l4proto', 'ip', 'saddr'].filter(isMetaShorthand)).toEqual(words)
    expect(['saddr', 'daddr', 'mark', 'iif', 'oif', 'type', 'oifname'].filter(isFibFlag)).toEqual([
      'saddr',
      'daddr',
      'mark',
      'iif',
      'oif',
    ])
    const protocols = ['ip', 'ip6', ...PORTS, 'icmp', 'icmpv6', 'ether', 'vlan']
    expect([...protocols, 'arp', 'meta', 'toString'].filter(isSupportedProtocol)).toEqual(protocols)
  })

  it('has an unknown type if its kind is not recognized', () => {
    const known: Selector = { kind: 'ct', key: 'mark' }
    expect(
      typesOfSelectors([{ kind: 'payload', protocol: 'arp', field: 'saddr' }, known, { kind: 'meta', key: 'cpu' }]),
    ).toEqual(['unknown', 'mark', 'unknown'])
  })
})
