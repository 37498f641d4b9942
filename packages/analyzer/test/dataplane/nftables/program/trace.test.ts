import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readDump } from '../../../../../compiler/test/support/read-dump.js'
import { trace } from '../../../../src/trace/trace.js'
import type { TraceContext } from '../../../../src/trace/trace-context.js'

// Small tables and the outcomes of a packet in them, each as in the kernel.

const PACKET: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '203.0.113.9',
  sourcePort: 4711,
  destination: '192.0.2.1',
  destinationPort: 80,
}

const AROUND: TraceContext = { addresses: ['192.168.0.2'] }

/** Builds a table with these chains and sets; a base chain consists of its rules only. */
function tableOf(
  rules: string,
  more = '',
  base = 'type filter hook prerouting priority filter; policy accept;',
): string {
  const lines = rules.split('\n').map((line) => `\t\t${line.trim()}`)
  return `table ip t {\n${more}\tchain base {\n\t\t${base}\n${lines.join('\n')}\n\t}\n}\n`
}

function outcomesOf(text: string, fields: Partial<Packet> = {}, around: TraceContext = AROUND) {
  const state = readDump(text)[fields.source?.includes(':') ? 'IPv6' : 'IPv4']
  return trace(state, { ...PACKET, ...fields } as Packet, around).map(({ outcome, probability, assumptions }) => ({
    ...outcome,
    ...(assumptions.length > 0 && {
      assumed: assumptions.map(({ condition, value }) => `${value ? '' : 'not '}${condition}`),
    }),
    ...(probability < 1 && { share: String(Math.round(probability * 100) / 100) }),
  }))
}

const kinds = (...given: Parameters<typeof outcomesOf>) => outcomesOf(...given).map(({ kind }) => kind)

describe('an nftables match', () => {
  it.each([
    ['ip saddr 203.0.113.9', true],
    ['ip saddr 203.0.113.0/24', true],
    ['ip saddr != 203.0.113.0/24', false],
    ['ip saddr { 10.0.0.0/8, 203.0.113.9 }', true],
    ['ip daddr 192.0.2.0-192.0.2.7', true],
    ['ip daddr 192.0.2.2', false],
    ['tcp dport 80', true],
    ['tcp dport { 443, 8080-8090 }', false],
    ['tcp dport < 1024', true],
    ['tcp dport <= 80', true],
    ['tcp dport > 80', false],
    ['tcp dport >= 80', true],
    ['tcp sport 4711', true],
    ['udp dport 80', false],
    ['th dport 80', true],
    ['th sport 4711', true],
    ['meta l4proto tcp', true],
    ['meta l4proto udp', false],
    ['meta nfproto ipv4', true],
    ['ip protocol tcp', true],
    ['ip daddr . tcp dport { 192.0.2.1 . 80, 192.0.2.2 . 443 }', true],
    ['ip daddr . meta l4proto . th dport { 192.0.2.1 . udp . 80 }', false],
    ['ct state new', true],
    ['ct state established,related', false],
    ['ct status dnat', false],
    ['ct status snat', false],
    ['ip6 saddr fd00::1', false],
    ['meta mark 0x00000000', true],
    ['meta mark & 0x00004000 != 0x00000000', false],
    ['meta mark & 0x00004000 == 0x00000000', true],
    ['fib daddr type local', false],
    ['fib saddr type != local', true],
    ['fib daddr type unicast', true],
    ['fib daddr type multicast', false],
  ])('"%s" matches the packet: %s', (match, holds) => {
    expect(kinds(tableOf(`${match} drop`))).toEqual([holds ? 'dropped' : 'unmatched'])
  })

  it('reads the node addresses if it matches the type of an address', () => {
    expect(kinds(tableOf('fib daddr type local drop'), { destination: '192.168.0.2' })).toEqual(['dropped'])
    expect(kinds(tableOf('fib daddr type broadcast drop'), { destination: '192.168.0.2' })).toEqual(['unmatched'])
    expect(kinds(tableOf('fib daddr type unicast drop'), { destination: '192.168.0.2' })).toEqual(['unmatched'])
    expect(kinds(tableOf('fib daddr type multicast drop'), { destination: '224.0.0.1' })).toEqual(['dropped'])
    expect(kinds(tableOf('fib daddr type unicast drop'), { destination: '224.0.0.1' })).toEqual(['unmatched'])
  })

  it('matches packets only from the interface that it names', () => {
    const packet = { inInterface: 'eth0' } as Partial<Packet>
    expect(kinds(tableOf('iifname "eth0" drop'), packet)).toEqual(['dropped'])
    expect(kinds(tableOf('iifname "eth*" drop'), packet)).toEqual(['dropped'])
    expect(kinds(tableOf('iifname != "cali*" drop'), packet)).toEqual(['dropped'])
    expect(kinds(tableOf('iif "eth1" drop'), packet)).toEqual(['unmatched'])
    const leaving = 'type filter hook postrouting priority filter; policy accept;'
    for (const key of ['oifname', 'oif']) {
      expect(kinds(tableOf(`${key} "eth0" drop`, '', leaving)).sort()).toEqual(['dropped', 'unmatched'])
    }
  })

  it.each([
    ['ip length 40', 'ip length 40'],
    ['meta length 40', 'meta length 40'],
    ['ip saddr . ip length { 203.0.113.9 . 40 }', 'ip saddr . ip length { 203.0.113.9 . 40 }'],
    ['meta cpu 1', 'meta cpu 1'],
    ['fib daddr . iif oif "eth0"', 'fib daddr . iif oif'],
    ['ip saddr @none', 'ip saddr @none'],
    ['ip length < 40', 'ip length < 40'],
    ['ip saddr < host', 'ip saddr < host'],
    ['ip saddr . tcp dport < 10.0.0.1 . 80', 'ip saddr . tcp dport < 10.0.0.1 . 80'],
    ['tcp dport < { 80, 90 }', 'tcp dport < { 80, 90 }'],
    ['tcp checksum 1', 'tcp checksum 1'],
    ['ether saddr 00:00:00:00:00:01', 'ether saddr'],
    ['numgen random mod 4 @none', 'numgen random mod 4 @none'],
    ['numgen random mod 4 other', 'numgen random mod 4 other'],
    ['numgen random mod 4 & 1 == 0', 'numgen random mod 4 & 1 == 0'],
    ['numgen random mod 4 ! 1', 'numgen random mod 4 ! 1'],
    ['numgen random mod 4 < { 1, 2 }', 'numgen random mod 4 < { 1, 2 }'],
  ])('forks the path if its result is unknown: %s', (match, assumption) => {
    const outcomes = outcomesOf(tableOf(`${match} drop`))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['dropped', 'unmatched'])
    expect(outcomes[0]?.assumed?.[0]).toContain(assumption)
    expect(outcomes[1]?.assumed?.[0]).toMatch(/^not /)
  })

  it('matches a random number with the correct probability', () => {
    expect(outcomesOf(tableOf('numgen random mod 4 0 drop'))).toEqual([
      expect.objectContaining({ kind: 'dropped', share: '0.25' }),
      expect.objectContaining({ kind: 'unmatched', share: '0.75' }),
    ])
    const shareOf = (match: string) =>
      outcomesOf(tableOf(`${match} drop`)).map(({ kind, share = '1' }) => `${kind} ${share}`)
    expect(shareOf('numgen random mod 4 != 0')).toEqual(['dropped 0.75', 'unmatched 0.25'])
    expect(shareOf('numgen random mod 4 < 3')).toEqual(['dropped 0.75', 'unmatched 0.25'])
    expect(shareOf('numgen random mod 4 <= 3')).toEqual(['dropped 1'])
    expect(shareOf('numgen random mod 4 > 2')).toEqual(['dropped 0.25', 'unmatched 0.75'])
    expect(shareOf('numgen random mod 4 >= 4')).toEqual(['unmatched 1'])
    expect(shareOf('numgen random mod 4 < 0')).toEqual(['unmatched 1'])
    expect(shareOf('numgen random mod 4 offset 8 >= 4')).toEqual(['dropped 1'])
    expect(shareOf('numgen random mod 4 { 0, 2, 9 }')).toEqual(['dropped 0.5', 'unmatched 0.5'])
    expect(shareOf('numgen random mod 4 offset 8 8')).toEqual(['dropped 0.25', 'unmatched 0.75'])
    expect(shareOf('numgen random mod 4 0-1')).toEqual(['dropped 0.5', 'unmatched 0.5'])
  })
})

it('may match a packet without a source port if it compares source ports', () => {
  expect(kinds(tableOf('tcp sport 4711 drop'), { sourcePort: undefined })).toEqual(['dropped', 'unmatched'])
})

describe('an IPv6 packet', () => {
  const PACKET6 = { source: '2001:db8::9', destination: '2001:db8::1' }
  const six = (rules: string, ...rest: [string?, string?]) => tableOf(rules, ...rest).replace('ip t', 'ip6 t')

  it.each([
    ['ip6 saddr 2001:db8::/32', true],
    ['ip6 nexthdr tcp', true],
    ['ip saddr 10.0.0.1', false],
    ['meta nfproto ipv6', true],
    ['meta nfproto ipv4', false],
  ])('is matched by %s: %s', (match, holds) => {
    expect(kinds(six(`${match} drop`), PACKET6)).toEqual([holds ? 'dropped' : 'unmatched'])
  })

  it('is rejected with an ICMPv6 type', () => {
    const around = { addresses: ['2001:db8::1'] }
    const input = 'type filter hook input priority filter; policy accept;'
    expect(outcomesOf(six('reject', '', input), PACKET6, around)).toEqual([
      { kind: 'rejected', with: 'icmp6-port-unreachable' },
    ])
  })
})

describe('an unknown match', () => {
  it('forks each path by whether an address belongs to the node', () => {
    const rules = 'fib daddr type local accept\nfib daddr type local drop\nip length 1 drop'
    const outcomes = outcomesOf(tableOf(rules), {}, {})
    expect(outcomes.every(({ assumed }) => assumed?.some((each) => each.includes('192.0.2.1')))).toBe(true)
  })

  it('does not fork by the source of a packet that arrives at an interface', () => {
    expect(kinds(tableOf('fib saddr type local drop'), {}, {})).not.toContain('dropped')
  })

  it('has no effect if both paths have the same result', () => {
    expect(outcomesOf(tableOf('ip length 40 continue'))).toHaveLength(1)
    expect(outcomesOf(tableOf('ip length 40 counter packets 0 bytes 0 meta mark set 0x00000001'))).toHaveLength(1)
  })

  it('is assumed separately each time its rule is traversed', () => {
    const text = tableOf(
      'jump a\njump a',
      '\tchain a {\n\t\tip length 40 meta mark set meta mark ^ 0x00000003\n\t}\n\n',
    )
    const marked = text.replace('\t}\n}\n', '\t\tmeta mark 0x00000003 drop\n\t}\n}\n')
    expect(new Set(kinds(marked))).toEqual(new Set(['dropped', 'unmatched']))
  })

  it('makes the outcome unknown if paths fork too often', () => {
    const rules = Array.from({ length: 20 }, (_, at) => `ip length ${at} meta mark set meta mark ^ ${2 ** at}`).join(
      '\n',
    )
    expect(kinds(tableOf(`${rules}\ntcp dport 80 drop`))).toContain('unknown')
    const chains = Array.from(
      { length: 20 },
      (_, at) => `\tchain c${at} {\n${`\t\tjump c${at + 1}\n`.repeat(3)}\t}\n\n`,
    ).join('')
    // The same chain is followed only once for the same packet, but the path has too many steps.
    expect(kinds(tableOf('jump c0', `${chains}\tchain c20 {\n\t\tcontinue\n\t}\n\n`))).toEqual(['unknown'])
  })

  it('is the result of a jump to a chain nested deeper than the kernel allows', () => {
    const chains = Array.from({ length: 140 }, (_, at) => `\tchain c${at} {\n\t\tjump c${at + 1}\n\t}\n\n`).join('')
    const [path] = trace(
      readDump(tableOf('jump c0', `${chains}\tchain c140 {\n\t\tdrop\n\t}\n\n`)).IPv4,
      PACKET,
      AROUND,
    )
    expect(path?.outcome).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('exceeds the limit of nested jumps'),
    })
  })

  it('is the result of an order comparison of concatenated values', () => {
    const rule = 'ip saddr . ip daddr < 0.0.0.0 . 0.0.0.0 drop'
    expect(new Set(kinds(tableOf(rule)))).toEqual(new Set(['dropped', 'unmatched']))
  })

  it('is the result of a JSON statement that has no text form', () => {
    const chain = {
      family: 'ip',
      table: 't',
      name: 'base',
      type: 'filter',
      hook: 'prerouting',
      prio: 0,
      policy: 'accept',
    }
    const textOf = (...expr: readonly object[]) =>
      `${JSON.stringify({
        nftables: [
          { table: { family: 'ip', name: 't' } },
          { chain },
          { rule: { family: 'ip', table: 't', chain: 'base', expr } },
        ],
      })}\n`
    expect(kinds(textOf({ log: { prefix: 'x' } }, { drop: null }))).toEqual(['dropped'])
    expect(kinds(textOf({ xt: { type: 'target', name: 'TPROXY' } }))).toEqual(['unknown'])
  })
})

describe('an nftables set', () => {
  const set = (elements: string, type = 'ipv4_addr', flags = '') =>
    `\tset s {\n\t\ttype ${type}\n${flags}${elements === '' ? '' : `\t\telements = { ${elements} }\n`}\t}\n\n`

  it('requires all components of the key for a lookup', () => {
    const key = 'ip saddr . meta l4proto . th dport @s drop'
    const type = 'ipv4_addr . inet_proto . inet_service'
    expect(kinds(tableOf(key, set('203.0.113.9 . tcp . 80', type)))).toEqual(['dropped'])
    expect(kinds(tableOf(key, set('203.0.113.9 . udp . 80', type)))).toEqual(['unmatched'])
  })

  it('contains the addresses of its networks', () => {
    const flags = '\t\tflags interval\n'
    expect(kinds(tableOf('ip saddr @s drop', set('10.0.0.0/8, 203.0.113.0/24', undefined, flags)))).toEqual(['dropped'])
    expect(kinds(tableOf('ip saddr != @s drop', set('203.0.113.0/24', undefined, flags)))).toEqual(['unmatched'])
    expect(kinds(tableOf('ip saddr @s drop', set('', undefined, flags)))).toEqual(['unmatched'])
  })

  it('contains recorded clients until their timeout expires if the set is dynamic', () => {
    const text = tableOf(
      'ip saddr @s drop',
      set('', undefined, '\t\tsize 65535\n\t\tflags dynamic,timeout\n\t\ttimeout 1m\n'),
    )
    const seen = (ageSeconds: number): TraceContext => ({
      ...AROUND,
      affinity: [{ recentList: 's', client: PACKET.source, ageSeconds }],
    })
    expect(kinds(text)).toEqual(['unmatched'])
    expect(kinds(text, {}, seen(59))).toEqual(['dropped'])
    expect(kinds(text, {}, seen(61))).toEqual(['unmatched'])
  })

  it('has the same lookup result in every rule', () => {
    expect(kinds(tableOf('ip saddr @s ip daddr 10.9.9.9 accept\nip saddr @s drop', set('203.0.113.9')))).toEqual([
      'dropped',
    ])
  })

  it('causes an unknown outcome if a vmap uses the set but the set contains no verdicts', () => {
    const more = '\tmap m {\n\t\ttype ipv4_addr : inet_service\n\t\telements = { 192.0.2.1 : 80 }\n\t}\n\n'
    expect(kinds(tableOf('ip daddr vmap @m', more))).toEqual(['unknown'])
  })

  it('does not match a packet that has no such field as the set compares', () => {
    expect(kinds(tableOf('udp dport @s drop', set('80', 'inet_service')))).toEqual(['unmatched'])
    const [first, second] = outcomesOf(tableOf('ip length @s drop', set('40', 'integer')))
    expect([first?.kind, second?.kind]).toEqual(['dropped', 'unmatched'])
  })
})

describe('an nftables verdict', () => {
  const chain = (name: string, ...rules: readonly string[]) =>
    `\tchain ${name} {\n${rules.map((rule) => `\t\t${rule}\n`).join('')}\t}\n\n`

  it.each<[string, string, string, string]>([
    ['of kind jump continues at the next rule after return', 'jump a\ndrop', chain('a', 'return', 'accept'), 'dropped'],
    [
      'of kind jump continues at the next rule after the end of the called chain',
      'jump a\ndrop',
      chain('a'),
      'dropped',
    ],
    ['of kind goto does not continue at the next rule', 'goto a\ndrop', chain('a', 'return'), 'unmatched'],
    [
      'of kind goto in a called chain continues in the caller of that chain',
      'jump a\ndrop',
      chain('a', 'goto b', 'accept') + chain('b'),
      'dropped',
    ],
    ['of kind accept ends the base chain', 'jump a\ndrop', chain('a', 'accept'), 'unmatched'],
    ['of kind continue continues at the next rule', 'continue\ndrop', '', 'dropped'],
    ['is the same with a counter before the verdict', 'counter packets 0 bytes 0\ndrop', '', 'dropped'],
    ['is the same with a log statement before the verdict', 'log prefix "x" drop', '', 'dropped'],
    ['is selected by a verdict map', 'tcp dport vmap { 80 : drop, 443 : accept }', '', 'dropped'],
    ['is absent if the verdict map does not contain the key', 'tcp dport vmap { 443 : drop }\naccept', '', 'unmatched'],
    [
      'is absent if the key of the verdict map reads another protocol',
      'udp dport vmap { 80 : drop }\naccept',
      '',
      'unmatched',
    ],
    ['is selected by a verdict map of marks', 'meta mark vmap { 0x00000000 : drop }', '', 'dropped'],
    [
      'is not reached if the packet lacks a component of the key in a set lookup',
      'ip daddr . tcp dport { 192.0.2.1 } drop',
      '',
      'unmatched',
    ],
    ['is selected by a verdict map with a range', 'tcp dport vmap { 1-1023 : drop }', '', 'dropped'],
  ])('%s', (_what, rules, more, outcome) => {
    expect(kinds(tableOf(rules, more))).toEqual([outcome])
  })

  it.each([
    ['jump none', '', 'chain none does not exist'],
    ['jump a', chain('a', 'jump b') + chain('b', 'jump a'), 'chain a loops back to itself'],
    ['ip length vmap @none', '', 'the matching element of ip length vmap @none cannot be determined'],
    ['tproxy to :8080', '', 'the effect of tproxy to :8080 is unknown'],
    [
      'dnat to ip length map { 40 : 10.1.0.1 }',
      '',
      'the destination of dnat to ip length map { 40 : 10.1.0.1 } cannot be determined',
    ],
    [
      'ip daddr vmap @m',
      '\tmap m {\n\t\ttype ipv4_addr : inet_service\n\t\telements = { 192.0.2.1 : 80 }\n\t}\n\n',
      '192.0.2.1 has no verdict',
    ],
  ])('has an unknown outcome if it cannot be evaluated: %s', (rules, more, reason) => {
    // A kernel never has the first two, but a text may.
    const state = readable(tableOf(rules, more))
    const [path] = trace(state, PACKET, AROUND)
    expect(path?.outcome).toMatchObject({ kind: 'unknown', reason })
  })

  function readable(text: string) {
    return readDump(text).IPv4
  }

  it.each([
    ['reject', 'icmp-port-unreachable'],
    ['reject with icmp host-unreachable', 'icmp-host-unreachable'],
    ['reject with icmpx admin-prohibited', 'icmp-admin-prohibited'],
    ['reject with tcp reset', 'tcp-reset'],
  ])('"%s" determines the type of the ICMP or TCP reply', (rule, answer) => {
    const [path] = outcomesOf(tableOf(rule, '', 'type filter hook input priority filter; policy accept;'), {
      destination: '192.168.0.2',
    })
    expect(path).toMatchObject({ kind: 'rejected', with: answer })
  })

  it('is the chain policy at the end of a base chain', () => {
    const drop = 'type filter hook prerouting priority filter; policy drop;'
    expect(kinds(tableOf('accept', '', drop))).toEqual(['unmatched'])
    expect(kinds(tableOf('ip saddr 10.0.0.1 accept', '', drop))).toEqual(['dropped'])
  })
})

describe('a nat chain', () => {
  const NAT = 'type nat hook prerouting priority dstnat; policy accept;'
  const POST =
    '\tchain post {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\t\tmasquerade fully-random\n\t}\n\n'
  const places = (...given: Parameters<typeof outcomesOf>) => outcomesOf(...given).map((each) => JSON.stringify(each))

  it('rewrites the destination', () => {
    expect(places(tableOf('dnat to 10.1.0.1:8080', '', NAT))).toEqual([expect.stringContaining('10.1.0.1')])
    expect(places(tableOf('dnat to 10.1.0.1', '', NAT))[0]).toContain('"port":80')
  })

  it('selects one of several destinations with equal probability', () => {
    const rule = 'meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.1.0.1 . 8080, 1 : 10.1.0.2 . 8080 }'
    const outcomes = outcomesOf(tableOf(rule, '', NAT))
    expect(outcomes.map(({ share }) => share)).toEqual(['0.5', '0.5'])
    expect(outcomes.map((each) => JSON.stringify(each))).toEqual([
      expect.stringContaining('10.1.0.1'),
      expect.stringContaining('10.1.0.2'),
    ])
  })

  it('continues with the remaining probability if a map contains only some random numbers', () => {
    const rule = 'dnat ip to numgen random mod 3 map { 0 : 10.1.0.1, 1 : 10.1.0.2 }'
    expect(outcomesOf(tableOf(rule, '', NAT)).map(({ kind, share }) => `${kind} ${share}`)).toEqual([
      'delivered 0.33',
      'delivered 0.33',
      'unmatched 0.33',
    ])
    const vmap = 'numgen random mod 2 vmap { 0 : drop }'
    expect(outcomesOf(tableOf(vmap)).map(({ kind, share }) => `${kind} ${share}`)).toEqual([
      'dropped 0.5',
      'unmatched 0.5',
    ])
  })

  it('selects the new destination by the value of a packet field', () => {
    const rule = 'dnat ip to tcp dport map { 80 : 10.1.0.1, 81 : 10.1.0.2 }'
    expect(places(tableOf(rule, '', NAT))).toEqual([expect.stringContaining('10.1.0.1')])
    expect(kinds(tableOf('dnat ip to ip length map { 40 : 10.1.0.1 }', '', NAT))).toEqual(['unknown'])
  })

  it('translates the destination once, then the source', () => {
    const [path] = outcomesOf(tableOf('dnat to 10.1.0.1:8080', POST, NAT))
    expect(JSON.stringify(path)).toContain('"masquerade')
    const twice = `${tableOf('dnat to 10.1.0.1:8080', '', NAT)}${tableOf('dnat to 10.9.9.9:1', '', NAT.replace('dstnat', '0')).replace('table ip t', 'table ip u')}`
    expect(places(twice)[0]).toContain('10.1.0.1')
  })

  it.each([
    { rule: 'fib saddr type local drop', kind: 'dropped' },
    { rule: 'fib saddr type != unicast drop', kind: 'dropped' },
    { rule: 'fib saddr type unicast drop', kind: 'delivered' },
    { rule: 'ip saddr 10.0.0.0/8 drop', kind: 'dropped or delivered' },
  ])('gives masqueraded packets an address of the node for later chains: $rule', ({ rule, kind }) => {
    const later = `\tchain later {\n\t\ttype filter hook postrouting priority 110; policy accept;\n\t\t${rule}\n\t}\n\n`
    expect(kinds(tableOf('dnat to 10.1.0.1:8080', `${POST}${later}`, NAT)).join(' or ')).toBe(kind)
  })

  it('sets marks and the conntrack status of the packet', () => {
    const filter = 'type filter hook forward priority filter; policy accept;'
    const nat = (rule: string) =>
      `\tchain pre {\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n\t\t${rule}\n\t}\n\n`
    const set = nat('meta mark set meta mark | 0x00004000 dnat to 10.1.0.1:8080')
    expect(kinds(tableOf('ct status dnat meta mark & 0x00004000 == 0x00004000 drop', set, filter))).toEqual(['dropped'])
    expect(kinds(tableOf('ct status dnat drop', nat('accept'), filter))).toEqual(['unmatched'])
    const marks = (rule: string, mark: string) => kinds(tableOf(`${rule}\nmeta mark ${mark} drop`))
    expect(marks('meta mark set 0x00000005', '0x00000005')).toEqual(['dropped'])
    expect(marks('meta mark set 0x00000005\nmeta mark set meta mark & 0x00000004', '0x00000004')).toEqual(['dropped'])
    expect(marks('meta mark set 0x80000001\nmeta mark set meta mark ^ 0x80000000', '0x00000001')).toEqual(['dropped'])
  })

  it.each([
    ['fails', 'meta mark set 0x00000005 ip daddr 192.0.2.2 accept', ['dropped']],
    ['fails after other statements', 'meta mark set 0x00000005 counter packets 0 bytes 0 tcp dport 81', ['dropped']],
    ['of the mark fails', 'meta mark set 0x00000005 meta mark & 0x00000001 == 0x00000000 accept', ['dropped']],
    ['in a map fails', 'meta mark set 0x00000005 meta mark vmap { 0x00000007 : accept }', ['dropped']],
    ['fails after an unknown match', 'ip length 40 meta mark set 0x00000005 udp dport 80', ['dropped', 'unmatched']],
  ])('keeps the mark that a rule has set when a later match of the rule %s', (_, rule, outcomes) => {
    expect(kinds(tableOf(`${rule}\nmeta mark 0x00000005 drop`))).toEqual(outcomes)
    const chain = `\tchain a {\n\t\t${rule}\n\t}\n\n`
    expect(kinds(tableOf('jump a\nmeta mark 0x00000005 drop', chain))).toEqual(outcomes)
  })
})

describe('steps of a trace', () => {
  it('contain the hook and the changes of the packet', () => {
    const chains = [
      ['nat', 'prerouting', 'dnat to 10.1.0.1:8080'],
      ['filter', 'forward', 'counter packets 0 bytes 0 ct status dnat meta mark set 0x00000005'],
      ['filter', 'input', 'drop'],
      ['filter', 'output', 'drop'],
      ['nat', 'postrouting', 'masquerade'],
    ].map(
      ([type, hook, rule]) =>
        `\tchain ${hook} {\n\t\ttype ${type} hook ${hook} priority filter; policy accept;\n\t\t${rule}\n\t}\n`,
    )
    const [path] = trace(readDump(`table ip t {\n${chains.join('\n')}}\n`).IPv4, PACKET, AROUND)
    const summaries = path?.steps.map(({ hook, chain, target, rewrites, jumpsTo, servicePort }) => [
      hook,
      chain,
      target,
      rewrites,
      jumpsTo,
      servicePort,
    ])
    expect(summaries).toEqual([
      ['PREROUTING', 'prerouting', 'dnat to 10.1.0.1:8080', 'destination', '', ''],
      ['FORWARD', 'forward', '', undefined, '', ''],
      ['POSTROUTING', 'postrouting', 'masquerade', 'source', '', ''],
    ])
  })

  it('exist for each number that a random map can produce', () => {
    const rule = 'numgen random mod 2 offset 5 vmap { 4 : accept, 5 : drop, 6 : return, 7 : drop }'
    expect(outcomesOf(tableOf(`${rule}\ndrop`)).map(({ kind, share = '1' }) => `${kind} ${share}`)).toEqual([
      'dropped 0.5',
      'unmatched 0.5',
    ])
  })

  it('contain the table, the chain, the rule and the matching element', () => {
    const more =
      '\tmap m {\n\t\ttype inet_proto . inet_service : verdict\n\t\telements = { tcp . 80 comment "web" : goto a,\n\t\t\t     tcp . 81 : drop }\n\t}\n\n' +
      '\tchain a {\n\t\tdrop comment "why"\n\t}\n\n'
    const text = tableOf('meta l4proto . th dport vmap @m', more)
    const [path] = trace(readDump(text).IPv4, PACKET, AROUND)
    expect(
      path?.steps.map(({ table, chain, text: rule, target, jumpsTo, comment }) => [
        table,
        chain,
        rule,
        target,
        jumpsTo,
        comment,
      ]),
    ).toEqual([
      [
        'nftables ip t',
        'base',
        'meta l4proto . th dport vmap { tcp . 80 comment "web" : goto a }',
        'goto a',
        'a',
        'web',
      ],
      ['nftables ip t', 'a', 'drop comment "why"', 'drop', '', 'why'],
    ])
  })

  it('contain the policy of a base chain', () => {
    const [path] = trace(
      readDump(
        tableOf('accept', '', 'type filter hook prerouting priority filter; policy drop;').replace('\t\taccept\n', ''),
      ).IPv4,
      PACKET,
      AROUND,
    )
    expect(path?.steps.map(({ text, comment }) => [text, comment])).toEqual([['policy drop', 'policy']])
  })

  it('exist only for base chains at hooks that packets traverse', () => {
    const text = tableOf('drop', '', 'type filter hook ingress device "eth0" priority filter; policy accept;').replace(
      'ip t',
      'netdev t',
    )
    expect(trace(readDump(text).IPv4, PACKET, AROUND).map(({ outcome }) => outcome.kind)).toEqual(['unmatched'])
  })
})
