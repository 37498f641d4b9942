import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../../../compiler/src/dataplane/netfilter/hooks.js'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import { endsOf } from './lowered-tables.js'

const POD: Partial<KernelPacket> = { sourcePort: 4711 }
const MARKED: Partial<KernelPacket> = { ...POD, mark: 0x0f, connectionMark: 0xf0 }

/** Follows a packet through a rule, and reports the mark and the connection mark at its end. */
function marksAfter(rule: string, packet: Partial<KernelPacket> = MARKED, priority = 0): string {
  const read = Array.from({ length: 16 }, (_, bit) => `meta mark & ${2 ** bit} == ${2 ** bit} jump m${bit}`)
  const more = Array.from({ length: 16 }, (_, bit) => `	chain m${bit} {\n	}\n`).join('')
  return endsOf(`${rule}\n${read.join('\n')}`, packet, { priority, more }).join('\n')
}

describe('a statement that sets a mark', () => {
  it.each<[string, string, Partial<KernelPacket>?]>([
    ['meta mark set 0x5', 'mark 5'],
    ['meta mark set meta mark | 0x100', 'mark 271'],
    ['meta mark set meta mark or 0x100', 'mark 271'],
    ['meta mark set meta mark & 0x3', 'mark 3'],
    ['meta mark set meta mark ^ 0x1', 'mark 14'],
    ['meta mark set meta mark & 0xfffffff0 | 0x00000001', 'mark 1'],
    ['meta mark set meta mark and 0xfffffffc xor 0x10', 'mark 28'],
    ['meta mark set jhash ip saddr mod 1 offset 8', 'mark 8'],
    ['meta mark set ct mark', 'mark 240'],
    ['meta mark set ct mark & 0x30', 'mark 48'],
    ['meta mark set ct mark | 0x1', 'mark 241'],
    ['meta mark set ct mark & 0x30 ^ 0x11', 'mark 33'],
    ['meta mark set tcp dport map { 80 : 0x1, 443 : 0x2 }', 'mark 1'],
    ['meta mark set tcp dport map { 81 : 0x1, 443 : 0x2 }', 'mark 15'],
    ['meta mark set ip saddr . tcp dport map { 10.244.0.9 . 80 : 0x7 }', 'mark 7'],
    // The rule breaks without a connection, so the mark stays.
    ['meta mark set ct mark', 'mark 15', { ...MARKED, untracked: true }],
    ['ct mark set 0x5 meta mark set ct mark', 'mark 15', { ...MARKED, untracked: true }],
    ['ct mark set 0x5 meta mark set 0x7', 'mark 7', { ...MARKED, untracked: true }],
    ['ct mark set 0x5 meta mark set ct mark', 'mark 5'],
    ['ct mark set meta mark meta mark set ct mark', 'mark 15'],
    ['ct mark set meta mark & 0x3 meta mark set ct mark', 'mark 3'],
    ['ct mark set ct mark | 0x1 meta mark set ct mark', 'mark 241'],
    ['ct mark set ct mark and 0xffffff7f xor 0x1 meta mark set ct mark', 'mark 113'],
    // A match after an effect decides about the rest of the rule.
    ['meta mark set 0x5 tcp dport 81 meta mark set 0x7', 'mark 5'],
    ['meta mark set 0x5 meta mark 0x5 meta mark set 0x7', 'mark 7'],
  ])('%s: %s', (rule, expected, packet = MARKED) => {
    expect(endsOf(rule, packet).map((end) => end.replace(/^.*-> chain ?/, ''))).toEqual([expected])
  })

  it('keeps its mark if it has no connection yet', () => {
    const place = { priority: -300, hook: 'OUTPUT' } as const
    expect(endsOf('ct mark set 0x5 meta mark set 0x7', { sentByNode: true, inInterface: '' }, place)).toEqual([
      '1 ct mark set 0x5 meta mark set 0x7 -> chain mark 7',
    ])
  })

  it('sets random numbers with their probabilities', () => {
    expect(endsOf('meta mark set numgen random mod 2 offset 4', POD)).toEqual([
      '1/2 meta mark set numgen random mod 2 offset 4 -> chain mark 4',
      '1/2 meta mark set numgen random mod 2 offset 4 -> chain mark 5',
    ])
  })

  it.each([
    'meta mark set numgen inc mod 2',
    'meta mark set jhash ip saddr mod 16',
    'meta mark set symhash mod 2',
    'meta mark set meta mark << 1',
    'meta mark set ip dscp map { cs1 : 0x1 }',
    'meta mark set ip dscp',
    'meta mark set tcp dport map { 80 : other }',
    'meta mark set tcp dport map { 80 : drop }',
  ])('continues with an unknown mark after %s', (rule) => {
    expect(endsOf(`${rule}\nip daddr 10.96.0.10 accept`, POD)).toHaveLength(1)
    const ends = endsOf(`${rule}\nmeta mark 0x1 drop`, POD)
    expect(ends.map((end) => end.replace(/ (?:meta|-> ).*/, ''))).not.toHaveLength(1)
  })

  it('continues if the element of a map is unknown', () => {
    const unknown: Partial<KernelPacket> = { ...POD, inInterface: undefined }
    const rule = 'meta mark set iifname map { "eth0" : 0x1 }'
    expect(endsOf(`${rule}\naccept`, unknown)).toHaveLength(1)
    expect(endsOf(`${rule} drop`, unknown).map((end) => end.replace(/^.*-> /, ''))).toEqual(['dropped', 'chain'])
    expect(endsOf('meta mark set ip saddr map @missing\naccept', POD)).toHaveLength(1)
  })

  it('knows the bits that are set after an unknown mark', () => {
    expect(endsOf('meta mark set symhash mod 2\nmeta mark set 0x4\nmeta mark 0x4 accept', POD)).toHaveLength(1)
    expect(marksAfter('meta mark set 0x1')).toBe(
      '1 meta mark set 0x00000001 meta mark & 0x00000001 == 0x00000001 jump m0 -> chain mark 1',
    )
  })
})

describe('a statement without effect on the path', () => {
  it.each([
    'counter',
    'counter packets 5 bytes 300',
    'counter name "c"',
    'log',
    'log prefix "a b: " level debug',
    'log prefix "x" group 2 snaplen 100 queue-threshold 5',
    'log prefix "x" flags tcp sequence,options flags ip options flags skuid flags ether',
    'log flags all',
    'log level audit',
    'add @s { ip saddr }',
    'update @s { ip saddr timeout 5s }',
    'update @s { ip saddr timeout 5s counter packets 0 bytes 0 }',
    'delete @s { ip saddr }',
    'add @m { ip saddr . tcp dport : 0x5 }',
    'flow add @f',
    'flow offload @f',
    'dup to 10.0.0.1',
    'dup to 10.0.0.1 device "eth0"',
    'dup to ip saddr map { 10.0.0.1 : 10.0.0.2 }',
    'ct helper set "ftp"',
    'ct timeout set "x"',
    'ct expectation set "x"',
    'ct event set new,destroy',
    'ct label set 1',
    'ct zone set 1',
    'ct original zone set 1',
    'ct zone set iif map { "eth0" : 1 }',
    'notrack',
    'meta nftrace set 1',
    'meta priority set 1:1',
    'meta priority set ip dscp map { cs1 : 1:1 }',
    'meta pkttype set host',
    'ip dscp set cs1',
    'ip ttl set 5',
    'tcp option maxseg size set rt mtu',
    'tcp option maxseg size set 1000',
    'reset tcp option timestamp',
    'ether saddr set 01:02:03:04:05:06',
    'last used never',
    'continue',
  ])('%s', (statement) => {
    expect(endsOf(`${statement}\ndrop`, POD)).toEqual([expect.stringMatching(/^1 .*drop -> dropped$/)])
  })

  it.each([
    'limit rate 10/second',
    'limit rate over 10/second burst 5 packets',
    'limit rate 1 mbytes/second burst 5 mbytes',
    'limit name "l"',
    'quota 10 mbytes',
    'quota over 10 mbytes used 5 bytes',
    'quota name "q"',
    'ct count 5',
    'ct count over 5',
    'meter m { ip saddr limit rate 5/second }',
    'meter m size 65535 { ip saddr timeout 5s limit rate over 5/second burst 5 packets }',
    'add @s { ip saddr limit rate over 5/second }',
    'update @s { ip saddr timeout 60s ct count over 5 }',
  ])('%s matches or not, and alone has no effect', (statement) => {
    expect(endsOf(`${statement} counter log prefix "x"\naccept`, POD)).toEqual(['1 accept -> next'])
    const ends = endsOf(`${statement} drop`, POD)
    expect(ends.map((end) => end.replace(/^.*(->|\[)/, '$1'))).toEqual(['-> dropped', '-> chain'])
    expect(ends[0]).toContain(' matches]')
  })

  it('breaks the rule for packets without the values of its selectors', () => {
    expect(endsOf('update @s { ip6 saddr } drop', POD)).toEqual(['1 -> chain'])
    expect(endsOf('ip6 hoplimit set 5 drop', POD)).toEqual(['1 -> chain'])
    expect(endsOf('udp checksum set 0 drop', POD)).toEqual(['1 -> chain'])
  })
})

describe('notrack', () => {
  const after = (packet: Partial<KernelPacket>, priority: number, hook: Hook = 'PREROUTING') =>
    endsOf('notrack\nct state untracked drop', packet, { priority, hook }).map((end) => end.replace(/^.*-> /, ''))

  it('excludes packets from connection tracking before it', () => {
    expect(after(POD, -300)).toEqual(['dropped'])
    expect(after({ ...POD, inInterface: '', sentByNode: true }, -300, 'OUTPUT')).toEqual(['dropped'])
  })

  it('does nothing after connection tracking', () => {
    expect(after(POD, -150)).toEqual(['chain'])
    expect(after(POD, 0, 'FORWARD')).toEqual(['chain'])
  })

  it('does nothing with packets that the node sent to itself', () => {
    expect(after({ ...POD, inInterface: 'lo', sentByNode: true }, -300)).toEqual(['chain'])
  })
})

describe('a verdict', () => {
  const MORE = `	chain target {\n		meta mark set 0x9\n	}\n	chain end {\n		drop\n	}\n`
  it.each([
    ['accept', ['1 accept -> next']],
    ['drop', ['1 drop -> dropped']],
    ['return', ['1 return -> chain']],
    ['continue\ndrop', ['1 continue drop -> dropped']],
    ['jump target\ndrop', ['1 jump target meta mark set 0x00000009 drop -> dropped mark 9']],
    ['goto target\ndrop', ['1 goto target meta mark set 0x00000009 -> chain mark 9']],
    ['jump missing', ['1 jump missing -> chain missing does not exist']],
    ['reject', ['1 reject -> rejected']],
    ['tcp dport vmap { 80 : drop, 81 : accept }', ['1 tcp dport vmap { 80 : drop } -> dropped']],
    ['tcp dport vmap { 81 : accept }\nreject', ['1 reject -> rejected']],
    [
      'tcp dport vmap { 79-80 : jump target }',
      ['1 tcp dport vmap { 79-80 : jump target } meta mark set 0x00000009 -> chain mark 9'],
    ],
    ['udp dport vmap { 80 : drop }', ['1 -> chain']],
    [
      'counter iifname vmap { "cali*" : drop }',
      ['1 counter packets 0 bytes 0 iifname vmap { "cali*" : drop } -> dropped'],
    ],
    [
      'meta mark set 0x9 iifname vmap { "cali*" : drop }',
      ['1 meta mark set 0x00000009 iifname vmap { "cali*" : drop } -> dropped mark 9'],
    ],
    ['ct state vmap { established : accept, related : accept, invalid : drop }', ['1 -> chain']],
    [
      'ct state vmap { established : accept, new : goto end }\naccept',
      ['1 ct state vmap { new : goto end } drop -> dropped'],
    ],
    ['fib daddr type vmap { local : accept, unicast : drop }', ['1 fib daddr type vmap { unicast : drop } -> dropped']],
    ['iifname vmap { "lo" : accept, "cali*" : drop }', ['1 iifname vmap { "cali*" : drop } -> dropped']],
    ['meta l4proto vmap { udp : accept, tcp : drop }', ['1 meta l4proto vmap { tcp : drop } -> dropped']],
    ['meta mark vmap { 0x0 : drop }', ['1 meta mark vmap { 0x00000000 : drop } -> dropped']],
    [
      'ip saddr . tcp dport vmap { 10.244.0.0/16 . 80 : drop }',
      ['1 ip saddr . tcp dport vmap { 10.244.0.0/16 . 80 : drop } -> dropped'],
    ],
    ['tcp flags vmap { syn : drop, ack : accept }', ['1 tcp flags vmap { syn : drop, ack : accept } -> dropped']],
    ['ip daddr vmap @missing', ['1 -> the matching element of ip daddr vmap @missing cannot be determined']],
    [
      'numgen random mod 2 vmap { 0 : drop, 1 : accept }',
      ['1/2 numgen random mod 2 vmap { 0 : drop } -> dropped', '1/2 numgen random mod 2 vmap { 1 : accept } -> next'],
    ],
    [
      'numgen random mod 4 vmap { 0-2 : drop }',
      ['3/4 numgen random mod 4 vmap { 0-2 : drop } -> dropped', '1/4 -> chain'],
    ],
    [
      'numgen inc mod 2 vmap { 0 : drop, 1 : accept }',
      [
        '1 [nftables numgen inc mod 2 vmap { 0 : drop, 1 : accept } selects 0] numgen inc mod 2 vmap { 0 : drop } -> dropped',
        '1 [nftables numgen inc mod 2 vmap { 0 : drop, 1 : accept } selects 1] numgen inc mod 2 vmap { 1 : accept } -> next',
      ],
    ],
  ])('%s', (rules, expected) => {
    expect(endsOf(rules, POD, { more: MORE })).toEqual(expected)
  })

  it.each([
    ['meta nfproto . tcp dport vmap { ipv6 . 80 : accept, ipv4 . 80 : drop }', 'ipv4 . 80'],
    ['meta mark set 0x9 meta nfproto . tcp dport vmap { ipv6 . 80 : accept, ipv4 . 80 : drop }', 'ipv4 . 80'],
    ['meta mark set 0x9 meta nfproto . tcp dport vmap { ipv6 . 80 : accept, ipv4 . 70-90 : drop }', 'ipv4 . 70-90'],
    ['meta mark set 0x9 meta nfproto vmap { ipv6 : accept, ipv4 : drop }', 'ipv4'],
    ['meta mark set 0x9 ct direction . tcp dport vmap { reply . 80 : accept, original . 80 : drop }', 'original . 80'],
  ])('of the element with the constant values of the packet: %s', (rule, key) => {
    expect(endsOf(`${rule}\naccept`, POD)).toEqual([expect.stringContaining(`vmap { ${key} : drop } -> dropped`)])
  })

  it.each([
    'numgen random mod 1 . iifname vmap { 0 . "cali1" : drop }',
    'meta mark set 0x9 ether saddr vmap { 01:02:03:04:05:06 : drop }',
    'meta l4proto vmap { 6-17 : drop }',
    'tcp dport vmap { 90-80 : drop }',
    'ip daddr vmap { 10.96.0.0/33 : drop }',
    'numgen inc mod 2 vmap @missing',
    'numgen inc mod 2 vmap { x : drop }',
    `symhash mod 65 vmap { ${Array.from({ length: 65 }, (_, number) => `${number} : drop`).join(', ')} }`,
  ])('is unknown if the element is unknown: %s', (rule) => {
    const reason = `the matching element of ${rule.replace('0x9', '0x00000009')} cannot be determined`
    expect(endsOf(`${rule}\naccept`, POD)).toEqual([expect.stringContaining(`-> ${reason}`)])
  })

  it('forks by a match before a map', () => {
    expect(endsOf('ip ttl 5 iifname vmap { "cali*" : drop }', POD)).toEqual([
      '1 [nftables ip ttl 5 iifname vmap { "cali*" : drop } matches] ip ttl 5 iifname vmap { "cali*" : drop } -> dropped',
      '1 [not nftables ip ttl 5 iifname vmap { "cali*" : drop } matches] -> chain',
    ])
  })

  it('is unknown if an element has none', () => {
    const more = '\tmap m {\n\t\ttype ifname : mark\n\t\telements = { "cali1" : 0x1 }\n\t}\n'
    expect(endsOf('iifname vmap @m', { ...POD, inInterface: 'cali1' }, { more })).toEqual(['1 -> cali1 has no verdict'])
  })

  it('forks by the elements of a map if its key is unknown', () => {
    const ends = endsOf('oifname vmap { "lo" : accept, "eth0" : drop }', POD, { hook: 'OUTPUT' })
    expect(ends).toEqual([
      '1 [nftables oifname vmap { "eth0" : drop } matches] oifname vmap { "eth0" : drop } -> dropped',
      '1 [not nftables oifname vmap { "eth0" : drop } matches] -> chain',
    ])
  })
})

describe('a rejection', () => {
  const POD6: Partial<KernelPacket> = { ...POD, family: 'IPv6', source: 'fd00::9', destination: 'fd00::1' }
  it.each<[string, Partial<KernelPacket>, string]>([
    ['reject', POD, 'rejected'],
    ['reject with tcp reset', POD, 'rejected'],
    ['reject with tcp reset', { ...POD, protocol: 'udp' }, 'chain'],
    ['reject with icmp host-unreachable', POD, 'rejected'],
    ['reject with icmp host-unreachable', POD6, 'chain'],
    ['reject with icmpv6 no-route', POD6, 'rejected'],
    ['reject with icmpv6 no-route', POD, 'chain'],
    ['reject with icmpx admin-prohibited', POD6, 'rejected'],
  ])('%s of %o: %s', (rule, packet, expected) => {
    expect(endsOf(rule, packet).map((end) => end.replace(/^.*-> /, ''))).toEqual([expected])
  })
})
