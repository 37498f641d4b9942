import { describe, expect, it } from 'vitest'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import { resultOf } from './lowered-tables.js'

const POD: Partial<KernelPacket> = {
  source: '10.244.0.9',
  sourcePort: 4711,
  destination: '10.96.0.10',
  destinationPort: 80,
  originalDestination: '10.96.0.10',
  originalDestinationPort: 80,
}
const POD6: Partial<KernelPacket> = {
  ...POD,
  family: 'IPv6',
  source: 'fd00:10:244::9',
  destination: 'fd00:10:96::a',
  originalDestination: 'fd00:10:96::a',
}
const NODE: Partial<KernelPacket> = { ...POD, source: '192.168.0.2', sentByNode: true, inInterface: '' }

describe('a match of a header', () => {
  it.each<[string, string, Partial<KernelPacket>?]>([
    ['ip saddr 10.244.0.9', 'yes'],
    ['ip saddr != 10.244.0.9', 'no'],
    ['ip saddr 10.244.0.0/16', 'yes'],
    ['ip saddr != 10.244.0.0/16', 'no'],
    ['ip saddr { 10.0.0.1, 10.244.0.0/16 }', 'yes'],
    ['ip saddr != { 10.0.0.1, 10.244.0.0/16 }', 'no'],
    ['ip daddr 10.96.0.5-10.96.0.20', 'yes'],
    ['ip daddr < 10.96.0.10', 'no'],
    ['ip daddr <= 10.96.0.10', 'yes'],
    ['ip daddr > 10.96.0.9', 'yes'],
    ['ip daddr >= 0.0.0.0', 'yes'],
    ['ip daddr & 255.255.0.0 == 10.96.0.0', 'yes'],
    ['ip daddr & 255.255.0.0 != 10.96.0.0', 'no'],
    ['ip daddr & 0.0.0.255 == 0.0.0.10', 'unknown'],
    ['ip daddr & 255.255.0.0 > 10.0.0.0', 'unknown'],
    ['ip daddr & 0xffff0000 == 10.96.0.0', 'unknown'],
    ['ip daddr & 255.255.0.0 @s', 'unknown'],
    ['ip daddr < 0.0.0.0', 'no'],
    ['ip daddr < host', 'unknown'],
    ['ip daddr ! 10.96.0.10', 'unknown'],
    ['ip daddr 10.96.0.20-10.96.0.5', 'unknown'],
    ['ip daddr 10.96.0.0/33', 'unknown'],
    ['ip ttl . ip daddr 5', 'unknown'],
    ['ip protocol > 5', 'unknown'],
    ['ip protocol & 6 == 6', 'unknown'],
    ['ip frag-off > 0', 'unknown'],
    ['ip frag-off != 1', 'yes'],
    ['tcp dport ! 80', 'unknown'],
    ['tcp dport & 0xff == 80', 'unknown'],
    ['tcp dport 80000', 'unknown'],
    ['tcp dport host', 'unknown'],
    ['tcp dport 90-80', 'unknown'],
    ['tcp dport < 0', 'no'],
    ['ip6 saddr fd00:10:244::9', 'no'],
    ['ip6 saddr != fd00:10:244::9', 'no'],
    ['ip6 saddr fd00:10:244::9', 'yes', POD6],
    ['ip6 saddr != fd00:10:244::/64', 'no', POD6],
    ['ip6 daddr fd00:10:96::a', 'yes', POD6],
    ['ip saddr != 10.244.0.9', 'no', POD6],
    ['ip protocol tcp', 'yes'],
    ['ip protocol != tcp', 'no'],
    ['ip protocol { tcp, udp }', 'yes'],
    ['ip6 nexthdr tcp', 'yes', POD6],
    ['ip6 nexthdr udp', 'no', POD6],
    ['ip version 4', 'yes'],
    ['ip6 version 6', 'yes', POD6],
    ['ip frag-off & 8191 != 0', 'no'],
    ['ip frag-off & 0x1fff == 0', 'yes'],
    ['ip frag-off & 0x4000 != 0', 'unknown'],
    ['ip ttl 64', 'unknown'],
    ['ip length 60', 'unknown'],
    ['ip dscp cs1', 'unknown'],
    ['ip dscp != cs1', 'unknown'],
    ['ip6 hoplimit 64', 'no'],
    ['ip6 hoplimit 64', 'unknown', POD6],
    ['tcp dport 80', 'yes'],
    ['tcp dport != 80', 'no'],
    ['tcp dport 81', 'no'],
    ['tcp dport { 80, 443 }', 'yes'],
    ['tcp dport != { 80, 443 }', 'no'],
    ['tcp dport 79-81', 'yes'],
    ['tcp dport < 80', 'no'],
    ['tcp dport <= 80', 'yes'],
    ['tcp dport > 65535', 'no'],
    ['tcp sport 4711', 'yes'],
    ['tcp sport 4711', 'unknown', { ...POD, sourcePort: undefined }],
    ['udp dport 80', 'no'],
    ['udp dport != 80', 'no'],
    ['udp dport 80', 'yes', { ...POD, protocol: 'udp' }],
    ['sctp dport 80', 'yes', { ...POD, protocol: 'sctp' }],
    ['th dport 80', 'yes', { ...POD, protocol: 'udp' }],
    ['th dport { 53, 80 }', 'yes'],
    ['dccp dport 80', 'no'],
    ['tcp flags syn', 'yes'],
    ['tcp flags != syn', 'no'],
    ['tcp flags == syn', 'yes'],
    ['tcp flags ! syn', 'no'],
    ['tcp flags ! fin,rst', 'yes'],
    ['tcp flags fin,syn', 'yes'],
    ['tcp flags ack', 'no'],
    ['tcp flags & ack == 0', 'yes'],
    ['tcp flags syn / fin,syn,rst,ack', 'yes'],
    ['tcp flags != syn / fin,syn,rst,ack', 'no'],
    ['tcp flags & (fin|syn|rst|ack) == syn', 'yes'],
    ['tcp flags & (fin | syn | rst | ack) != syn', 'no'],
    ['tcp flags & (fin|syn) == fin|syn', 'no'],
    ['tcp flags { syn, ack }', 'yes'],
    ['tcp flags != { syn, ack }', 'no'],
    ['tcp flags != 0x12', 'yes'],
    ['tcp flags syn', 'no', { ...POD, protocol: 'udp' }],
    ['tcp flags != syn', 'no', { ...POD, protocol: 'udp' }],
    ['tcp option maxseg size 500', 'unknown'],
    ['tcp option maxseg size 500', 'no', { ...POD, protocol: 'udp' }],
    ['tcp option sack-perm exists', 'unknown'],
    ['tcp sequence 1', 'unknown'],
    ['udp length 5', 'no'],
    ['icmp type echo-request', 'no'],
    ['icmp type != echo-request', 'no'],
    ['icmpv6 type { nd-router-advert, nd-neighbor-solicit }', 'no', POD6],
    ['igmp type membership-query', 'no'],
    ['esp spi 1', 'no'],
    ['ah spi != 1', 'no'],
    ['comp cpi 1', 'no'],
    ['frag id 5', 'no', POD6],
    ['frag id != 5', 'no', POD6],
    ['exthdr hbh exists', 'no', POD6],
    ['exthdr hbh missing', 'yes', POD6],
    ['exthdr hbh missing', 'no'],
    ['sctp chunk data exists', 'no'],
    ['ether saddr 01:02:03:04:05:06', 'unknown'],
    ['vlan id 5', 'unknown'],
    ['@th,16,16 80', 'unknown'],
    ['@nh,0,8 & 0xf0 == 0x40', 'unknown'],
  ])('%s: %s', (match, expected, packet = POD) => {
    expect(resultOf(match, packet)).toBe(expected)
  })
})

describe('a match of meta data', () => {
  it.each<[string, string, Partial<KernelPacket>?]>([
    ['meta l4proto tcp', 'yes'],
    ['meta l4proto != tcp', 'no'],
    ['meta l4proto { tcp, udp }', 'yes'],
    ['meta l4proto { icmp, ipv6-icmp }', 'no'],
    ['meta l4proto 6', 'yes'],
    ['meta nfproto ipv4', 'yes'],
    ['meta nfproto ipv6', 'no'],
    ['meta nfproto != ipv6', 'yes'],
    ['meta nfproto ipv6', 'yes', POD6],
    ['meta protocol ip', 'yes'],
    ['meta protocol ip6', 'no'],
    ['meta protocol { ip, ip6 }', 'yes'],
    ['meta mark 0x1', 'no'],
    ['meta mark != 0x1', 'yes'],
    ['meta mark 0x4001', 'yes', { ...POD, mark: 0x4001 }],
    ['meta mark & 0x4000 != 0x4000', 'no', { ...POD, mark: 0x4001 }],
    ['meta mark & 0x4000 == 0x4000', 'yes', { ...POD, mark: 0x4001 }],
    ['meta mark 0x00004000/18', 'yes', { ...POD, mark: 0x4001 }],
    ['meta mark 0x4000-0x5000', 'yes', { ...POD, mark: 0x4001 }],
    ['meta mark != 0x4000-0x5000', 'no', { ...POD, mark: 0x4001 }],
    ['meta mark > 0x4000', 'yes', { ...POD, mark: 0x4001 }],
    ['meta mark < 0x4000', 'no', { ...POD, mark: 0x4001 }],
    ['meta mark { 0x1, 0x4001 }', 'yes', { ...POD, mark: 0x4001 }],
    ['meta mark | 0x1 == 0x1', 'unknown'],
    ['meta mark << 1 != 0x1', 'unknown'],
    ['meta mark 0x1', 'unknown', { ...POD, unknownMark: 0xff }],
    ['meta mark & 0xff00 == 0x100', 'no', { ...POD, unknownMark: 0xff }],
    ['iifname "cali1"', 'yes'],
    ['iifname != "cali1"', 'no'],
    ['iifname "cali*"', 'yes'],
    ['iifname { "eth0", "cali*" }', 'yes'],
    ['iif "lo"', 'no'],
    ['iif != "lo"', 'yes'],
    ['iifname "eth0"', 'unknown', { ...POD, inInterface: undefined }],
    ['iifname != "eth0"', 'unknown', { ...POD, inInterface: undefined }],
    ['iifname "lo"', 'no', { ...POD, inInterface: undefined }],
    ['oifname "eth0"', 'no'],
    ['oifname != "eth0"', 'yes'],
    ['iifgroup 1', 'unknown'],
    ['meta iiftype ether', 'unknown'],
    ['meta pkttype host', 'yes'],
    ['meta pkttype unicast', 'yes'],
    ['meta pkttype { broadcast, multicast }', 'no'],
    ['meta pkttype != host', 'no'],
    ['meta skuid 0', 'no'],
    ['meta skuid != 0', 'no'],
    ['meta skuid 0', 'unknown', NODE],
    ['skgid 5', 'no'],
    ['meta cgroup 5', 'no'],
    ['meta ipsec exists', 'no'],
    ['meta ipsec missing', 'yes'],
    ['meta time < "2026-01-01 00:00:00"', 'unknown'],
    ['meta hour "10:00"-"12:00"', 'unknown'],
    ['meta day "Monday"', 'unknown'],
    ['meta cpu 1', 'unknown'],
    ['meta priority 1:1', 'unknown'],
    ['meta length > 100', 'unknown'],
    ['iif 1', 'no'],
    ['iif 1', 'yes', { ...POD, inInterface: 'lo' }],
    ['iif 5', 'unknown'],
    ['iifname "a b"', 'unknown'],
    ['iifname < "x"', 'unknown'],
    ['meta mark > 0', 'no'],
    ['meta mark >= 0', 'yes'],
    ['meta mark < 0', 'no'],
    ['meta mark < { 1, 2 }', 'unknown'],
    ['meta mark ! 1', 'unknown'],
    ['meta mark other', 'unknown'],
    ['meta mark & 0x0000000f 0x00000001-0x00000005', 'unknown'],
    ['meta mark & 0x0000000f == 0x00000010', 'no'],
    ['meta mark & other == 1', 'unknown'],
    // nft lists such a range as the first bits of its numbers.
    ['meta mark { 0x00000000/28, 0x00000040 }', 'yes', { ...POD, mark: 0x0f }],
    ['meta mark { 0x00000000/28, 0x00000040 }', 'yes', { ...POD, mark: 0x40 }],
    ['meta mark { 0x00000000/28, 0x00000040 }', 'no', { ...POD, mark: 0x10 }],
    ['meta mark { 0x00000010/33, 0x00000040 }', 'unknown'],
    ['meta mark { 0x00000010/x, 0x00000040 }', 'unknown'],
    ['meta mark { host/28, 0x00000040 }', 'unknown'],
  ])('%s: %s', (match, expected, packet = POD) => {
    expect(resultOf(match, packet)).toBe(expected)
  })

  it.each([
    ['oifname "lo"', { ...POD, destination: '192.168.0.2' }, 'yes'],
    ['oifname "eth0"', { ...POD, destination: '192.168.0.2' }, 'no'],
    ['oifname "lo"', POD, 'no'],
    ['oifname "eth0"', POD, 'unknown'],
    ['oifname != "eth0"', POD, 'unknown'],
    ['oif "lo"', { ...POD, destination: '192.168.0.2' }, 'yes'],
  ])('%s in OUTPUT, %o: %s', (match, packet, expected) => {
    expect(resultOf(match, packet, { hook: 'OUTPUT' })).toBe(expected)
  })
})

describe('a match of the connection', () => {
  const untracked = { ...POD, untracked: true }
  const translated: Partial<KernelPacket> = {
    ...POD,
    destination: '10.244.1.5',
    destinationPort: 8080,
    translatedBy: 'dnat',
  }
  it.each<[string, string, Partial<KernelPacket>?]>([
    ['ct state new', 'yes'],
    ['ct state established,related', 'no'],
    ['ct state != established', 'yes'],
    ['ct state invalid', 'no'],
    ['ct state { new, established }', 'yes'],
    ['ct state ! new', 'no'],
    ['ct state == new', 'yes'],
    ['ct state untracked', 'no'],
    ['ct state new', 'no', untracked],
    ['ct state untracked', 'yes', untracked],
    ['ct state invalid,untracked', 'yes', untracked],
    ['ct state != established', 'yes', untracked],
    // Several flags after `!=` are one number, which no state equals.
    ['ct state != new,established', 'yes'],
    ['ct status dnat', 'no'],
    ['ct status dnat', 'yes', translated],
    ['ct status snat', 'yes', { ...POD, masqueraded: true }],
    ['ct status snat,dnat', 'yes', translated],
    ['ct status ! dnat', 'yes'],
    ['ct status ! dnat', 'no', translated],
    ['ct status assured', 'no'],
    ['ct status seen-reply', 'no'],
    ['ct status confirmed', 'no'],
    ['ct status confirmed', 'yes', { ...POD, sentByNode: true, inInterface: 'lo' }],
    ['ct status confirmed,dnat', 'no'],
    ['ct status confirmed,dnat', 'yes', translated],
    ['ct status expected', 'no'],
    ['ct status == assured', 'no'],
    // The status of a translated connection has a second bit.
    ['ct status == dnat', 'no', translated],
    ['ct status != dnat', 'yes', translated],
    ['ct status & (dnat | snat) != 0', 'yes', translated],
    ['ct status dnat', 'no', untracked],
    ['ct status ! dnat', 'no', untracked],
    ['ct mark 0x0', 'yes'],
    ['ct mark 0x5', 'no'],
    ['ct mark != 0x5', 'yes'],
    ['ct mark != 0x5', 'no', untracked],
    ['ct mark & 0x80 == 0x80', 'yes', { ...POD, connectionMark: 0x81 }],
    ['ct mark & 0x000000ff != 0x00000001', 'yes', { ...POD, connectionMark: 0x81 }],
    ['ct mark 0x10-0x20', 'no'],
    ['ct direction original', 'yes'],
    ['ct direction reply', 'no'],
    ['ct direction != reply', 'yes'],
    ['ct direction != reply', 'no', untracked],
    ['ct original ip saddr 10.244.0.9', 'yes'],
    ['ct original ip daddr 10.96.0.10', 'yes', translated],
    ['ct original ip daddr 10.244.1.5', 'no', translated],
    ['ct original ip daddr 10.96.0.0/12', 'yes', translated],
    ['ct original ip daddr != 10.96.0.0/12', 'no', untracked],
    ['ct original saddr 10.244.0.9', 'yes'],
    ['ct reply ip saddr 10.244.1.5', 'yes', translated],
    ['ct reply ip daddr 10.244.0.9', 'unknown'],
    ['ct original ip6 saddr fd00:10:244::9', 'no'],
    ['ct original ip6 saddr fd00:10:244::9', 'yes', POD6],
    ['meta l4proto tcp ct original proto-dst 80', 'yes', translated],
    ['meta l4proto tcp ct original proto-src 4711', 'yes'],
    ['meta l4proto tcp ct reply proto-src 8080', 'yes', translated],
    ['ct protocol tcp', 'yes'],
    ['ct l3proto ipv4', 'yes'],
    ['ct l3proto ipv6', 'no'],
    ['ct zone 1', 'unknown'],
    ['ct zone != 3', 'no', untracked],
    ['ct helper "ftp"', 'no'],
    ['ct reply packets > 0', 'no'],
    ['ct original packets > 1', 'no'],
    ['ct packets 1', 'yes'],
    ['ct packets > 1', 'no'],
    ['ct packets >= 1', 'yes'],
    ['ct packets < 5', 'yes'],
    ['ct packets < 0', 'no'],
    ['ct packets 1/28', 'unknown'],
    ['ct packets other', 'unknown'],
    ['ct state other', 'unknown'],
    ['ct status other', 'unknown'],
    ['ct status 0x400', 'unknown'],
    ['ct original bytes > 100', 'unknown'],
    ['ct bytes > 100', 'unknown'],
    ['ct expiration < 5s', 'unknown'],
    ['ct label 1', 'unknown'],
  ])('%s: %s', (match, expected, packet = POD) => {
    expect(resultOf(match, packet)).toBe(expected)
  })

  // Connection tracking finds connections at priority -200.
  it.each<[string, string, Partial<KernelPacket>]>([
    ['ct state new', 'no', POD],
    ['ct state invalid', 'yes', POD],
    ['ct state != established', 'yes', POD],
    ['ct mark != 5', 'no', POD],
    ['ct direction original', 'no', POD],
    ['ct state new', 'yes', { ...POD, sentByNode: true, inInterface: 'lo' }],
    ['ct mark != 5', 'yes', { ...POD, sentByNode: true, inInterface: 'lo' }],
  ])('before connection tracking, %s: %s for %o', (match, expected, packet) => {
    expect(resultOf(match, packet, { priority: -300 })).toBe(expected)
  })

  it.each([
    ['ct state new', 'no'],
    ['ct state invalid', 'yes'],
    ['ct mark 0', 'no'],
  ])('before connection tracking in OUTPUT, %s: %s', (match, expected) => {
    expect(resultOf(match, NODE, { priority: -300, hook: 'OUTPUT' })).toBe(expected)
  })
})

it('finds the connection of a forwarded packet before each chain', () => {
  expect(resultOf('ct state new', POD, { priority: -300, hook: 'FORWARD' })).toBe('yes')
})

describe('a match of routes, sockets and chance', () => {
  it.each<[string, string, Partial<KernelPacket>?]>([
    ['fib daddr type local', 'no'],
    ['fib daddr type local', 'yes', { ...POD, destination: '192.168.0.2' }],
    ['fib daddr type != local', 'yes'],
    ['fib daddr type unicast', 'yes'],
    ['fib daddr type unicast', 'no', { ...POD, destination: '192.168.0.2' }],
    ['fib daddr type { local, broadcast }', 'no'],
    ['fib daddr type multicast', 'yes', { ...POD, destination: '224.0.0.1' }],
    ['fib daddr type broadcast', 'yes', { ...POD, destination: '255.255.255.255' }],
    ['fib daddr type unreachable', 'no'],
    ['fib daddr . iif type local', 'no'],
    ['fib daddr . iif type local', 'unknown', { ...POD, destination: '192.168.0.2' }],
    ['fib daddr . iif type != local', 'yes'],
    ['fib daddr . iif type unicast', 'yes'],
    ['fib daddr . iif type unicast', 'unknown', { ...POD, destination: '192.168.0.2' }],
    ['fib daddr type other', 'unknown'],
    ['fib daddr . mark type local', 'yes', { ...POD, destination: '192.168.0.2' }],
    ['fib saddr type local', 'yes', NODE],
    // The type of a local IPv6 address is not unicast, unlike in ip6tables.
    ['fib daddr type unicast', 'yes', POD6],
    ['fib daddr type unreachable', 'unknown', POD6],
    ['fib saddr . iif oif 0', 'unknown'],
    ['fib saddr . iif oif missing', 'unknown'],
    ['fib daddr oifname "lo"', 'unknown'],
    ['socket transparent 1', 'unknown'],
    ['socket cgroupv2 level 1 "system.slice"', 'unknown'],
    ['rt classid 1', 'unknown'],
    ['rt ip nexthop 10.0.0.1', 'unknown'],
    ['rt ipsec missing', 'unknown'],
    ['ipsec in reqid 1', 'no'],
    ['osf name "Linux"', 'unknown'],
    ['osf name "Linux"', 'no', { ...POD, protocol: 'udp' }],
    ['numgen random mod 4 0', '1/4'],
    ['numgen random mod 4 != 0', '3/4'],
    ['numgen random mod 4 < 3', '3/4'],
    ['numgen random mod 4 { 0, 2 }', '1/2'],
    ['numgen random mod 4 0-2', '3/4'],
    ['numgen random mod 4 4', 'no'],
    ['numgen random mod 1 0', 'yes'],
    ['numgen inc mod 2 0', 'unknown'],
    ['numgen inc mod 1 0', 'yes'],
    ['jhash ip saddr mod 2 seed 0x1 0', 'unknown'],
    ['jhash ip saddr mod 1 0', 'yes'],
    ['jhash ip6 saddr mod 1 0', 'no'],
    ['symhash mod 2 0', 'unknown'],
  ])('%s: %s', (match, expected, packet = POD) => {
    expect(resultOf(match, packet)).toBe(expected)
  })

  it('finds no IPv6 route that is local to be unicast', () => {
    const packet = { ...POD6, destination: 'fd00::2' }
    const facts = { isLocal: (address: string) => (address === 'fd00::2' ? 'yes' : 'no') } as const
    expect(resultOf('fib daddr type unicast', packet, { facts })).toBe('no')
    expect(resultOf('fib daddr type local', packet, { facts })).toBe('yes')
    expect(resultOf('fib daddr type unreachable', packet, { facts })).toBe('no')
  })
})

describe('a match of several values', () => {
  const SETS = `	set services {
		type ipv4_addr . inet_proto . inet_service
		elements = { 10.96.0.10 . tcp . 80 }
	}
	set networks {
		type ipv4_addr . inet_service
		flags interval
		elements = { 10.96.0.0/12 . 80-90, 10.0.0.1 . 443 }
	}
	set addresses {
		type ipv4_addr
		elements = { 10.96.0.10, 10.96.0.11 }
	}
	set interfaces {
		type ifname
		elements = { "cali*", "eth0" }
	}
	set families {
		type nf_proto . inet_service
		elements = { ipv4 . 80, ipv6 . 81 }
	}
	set empty {
		type ipv4_addr
	}
	set marks {
		type mark
		elements = { 0x00000001, 0x00004000 }
	}
	set types {
		type fib_addrtype
		elements = { local, broadcast }
	}
`
  it.each<[string, string, Partial<KernelPacket>?]>([
    ['ip daddr . tcp dport { 10.0.0.0/8 . 80-90, 1.2.3.4 . 443 }', 'yes'],
    ['ip daddr . tcp dport { 10.0.0.0/8 . 81-90, 1.2.3.4 . 443 }', 'no'],
    ['ip daddr . tcp dport != { 10.0.0.0/8 . 81-90, 1.2.3.4 . 443 }', 'yes'],
    ['ip daddr . udp dport != { 10.0.0.0/8 . 81-90 }', 'no'],
    ['ip daddr . meta l4proto . th dport @services', 'yes'],
    ['ip daddr . meta l4proto . th dport != @services', 'no'],
    ['ip daddr . meta l4proto . th dport @services', 'no', { ...POD, protocol: 'udp' }],
    ['ip daddr . meta l4proto . th dport != @services', 'no', POD6],
    ['ip daddr . tcp dport @networks', 'yes'],
    ['ip daddr . tcp dport @networks', 'no', { ...POD, destinationPort: 91 }],
    ['ip saddr . tcp dport @networks', 'no'],
    ['ip daddr @addresses', 'yes'],
    ['ip daddr != @addresses', 'no'],
    ['ip daddr @empty', 'no'],
    ['ip daddr != @empty', 'yes'],
    ['ip daddr @missing', 'unknown'],
    ['iifname @interfaces', 'yes'],
    ['iifname @interfaces', 'no', { ...POD, inInterface: 'eth1' }],
    ['iifname @interfaces', 'unknown', { ...POD, inInterface: undefined }],
    ['oifname @interfaces', 'no'],
    ['meta nfproto . tcp dport @families', 'yes'],
    ['meta nfproto . tcp dport @families', 'no', POD6],
    ['meta nfproto . tcp dport @families', 'yes', { ...POD6, destinationPort: 81 }],
    ['meta mark @marks', 'yes', { ...POD, mark: 0x4000 }],
    ['ct mark @marks', 'no', { ...POD, mark: 0x4000 }],
    ['fib daddr type @types', 'no'],
    ['fib daddr type @types', 'yes', { ...POD, destination: '192.168.0.2' }],
    ['ip dscp @marks', 'unknown'],
    ['ct state . meta l4proto { new . tcp, established . udp }', 'yes'],
    ['ct state . meta l4proto { new . udp }', 'no'],
  ])('%s: %s', (match, expected, packet = POD) => {
    expect(resultOf(match, packet, { more: SETS })).toBe(expected)
  })
})
