import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canonicalize } from '../../../../compiler/src/dataplane/nftables/canonical.js'
import { printListings } from '../../../../compiler/src/dataplane/nftables/print/print-listing.js'
import { statementsOf, tableOf, tablesOf } from '../../../../compiler/test/dataplane/nftables/tables.js'
import { parseNftables } from '../../../src/dataplane/nftables/parse/parse.js'
import { parseNftablesJson } from '../../../src/dataplane/nftables/parse/parse-json.js'
import { NFTABLES_PROBLEM_CODES, type NftablesProblemCode } from '../../../src/dataplane/nftables/parse/problem.js'
import { parseCommands } from '../../support/parse-commands.js'

function problemsOf(text: string): readonly string[] {
  const read = parseNftables(text)
  return read.ok ? [] : read.problems.map(({ code, line, column }) => `${line}:${column} ${code}`)
}

/** Texts with a single error, one text for every code except the code of JSON. */
const WRONG: Readonly<Record<Exclude<NftablesProblemCode, 'invalidJson'>, readonly (readonly [string, string])[]>> = {
  invalidCharacter: [
    ['table ip t {\r\n}\n', '1:13'],
    ['table ip t {\n\tcomment "a\u2028b"\n}\n', '2:12'],
  ],
  openQuote: [
    ['table ip t {\n\tchain c {\n\t\tlog prefix "a\n\t}\n}\n', '3:14'],
    ['add rule ip t c log "a\n', '1:21'],
  ],
  unexpectedWord: [
    ['table ip t {\n\tset s {\n\t\ttype mark\n\t\twhat\n\t}\n}\n', '4:3'],
    ['table ip t {\n\tset s {\n\t\ttype mark\n\t\tsize x\n\t}\n}\n', '4:3'],
    ['table ip t {\n\tset s {\n\t\ttype mark mark\n\t}\n}\n', '3:3'],
    ['table ip t {\n\tset s {\n\t\ttype mark\n\t\telements = 5\n\t}\n}\n', '4:14'],
    ['table ip t {\n\tset s {\n\t\ttype mark\n\t\telements = { 5 { 6 }\n\t}\n}\n', '4:18'],
    ['table ip t {\n\tset s {\n\t\ttype\n\t\tflags interval\n\t}\n}\n', '3:3'],
    ['table ip t {\n\tchain c {\n\t\tdrop comment "a" accept\n\t}\n}\n', '3:20'],
    ['table ip t {\n\tchain c {\n\t\ttype filter hook input priority 0 5;\n\t}\n}\n', '3:37'],
    ['table ip t {\n\tchain c {\n\t\ttype filter hook input priority 0; policy maybe;\n\t}\n}\n', '3:45'],
    ['table ip t {\n\tchain c {\n\t\ttype filter hook ingress devices lo priority 0\n\t}\n}\n', '3:36'],
    ['table ip t {\n\tchain c }\n}\n', '2:10'],
    ['table ip t {\n\t{\n}\n', '2:2'],
    ['table ip t ;\n', '1:12'],
    ['table { }\n', '1:7'],
    ['add table ip t { what ; }\n', '1:18'],
    ['add element ip t s 5\n', '1:20'],
    ['delete rule ip t c drop\n', '1:20'],
    ['replace rule ip t c drop\n', '1:21'],
    ['add rule ip t c handle x drop\n', '1:24'],
    ['add table ip t }\n', '1:16'],
    ['add table ip t {} more\n', '1:19'],
    ['add counter ip t k { packets x }\n', '1:22'],
    ['add chain ip t c { drop ; }\n', '1:5'],
    ['add chain ip t c { type filter input ; }\n', '1:32'],
  ],
  missingWord: [
    ['table ip t {\n\tset s {\n\t\tflags interval\n\t}\n}\n', '2:9'],
    ['table ip t {\n\tmap s {\n\t\ttype mark\n\t}\n}\n', '2:9'],
    ['table ip t {\n\tset s {\n\t\ttype mark : mark\n\t}\n}\n', '2:9'],
    ['table ip t {\n\tchain c {\n\t\tdrop comment\n\t}\n}\n', '3:15'],
    ['table ip t {\n\tchain c {\n\t\tcomment\n\t}\n}\n', '3:10'],
    ['table ip t {\n\tcomment\n}\n', '2:9'],
    ['table ip t {\n\tflags\n}\n', '2:7'],
    ['table ip t {\n\tchain\n}\n', '2:7'],
    ['table ip t {\n\tct\n}\n', '2:4'],
    ['table ip t {\n\tcounter k {\n\t\tcomment\n\t}\n}\n', '3:10'],
    ['table ip t {\n\tchain c {\n\t\ttype filter hook\n\t}\n}\n', '3:19'],
    ['table ip t {\n\tchain c {\n\t\tlog { a\n', '4:1'],
    ['add\n', '1:4'],
    ['add table\n', '1:10'],
    ['add chain ip t\n', '1:15'],
    ['add set ip t\n', '1:13'],
    ['add set ip t s\n', '1:15'],
    ['add element ip t\n', '1:17'],
    ['add rule ip t\n', '1:14'],
    ['add rule ip t c\n', '1:16'],
    ['add counter ip t\n', '1:17'],
    ['add ct\n', '1:7'],
  ],
  invalidValue: [
    ['add table ip t\nadd chain ip t c { type filter hook input priority what ; }\n', '2:52'],
    ['add table ip t\nadd chain ip t c { type filter hook input priority filter * 5 ; }\n', '2:52'],
    ['delete chain ip t handle 5\n', '1:19'],
    ['add rule ip t c index 5 drop\n', '1:17'],
  ],
  unknownCommand: [
    ['list ruleset\n', '1:1'],
    ['add ruleset\n', '1:5'],
    ['insert table ip t\n', '1:8'],
    ['insert chain ip t c\n', '1:8'],
    ['insert set ip t s\n', '1:8'],
    ['flush element ip t s { 5 }\n', '1:7'],
    ['flush rule ip t c\n', '1:7'],
    ['flush counter ip t k\n', '1:7'],
    ['add what ip t k\n', '1:5'],
  ],
  unclosedBlock: [
    ['table ip t {\n', '2:1'],
    ['table ip t {\n\tchain c {\n', '3:1'],
    ['table ip t {\n\tset s {\n', '3:1'],
    ['table ip t {\n\tquota q {\n', '3:1'],
  ],
  duplicateName: [
    ['table ip t {\n\tchain c {\n\t}\n\tchain c {\n\t}\n}\n', '4:8'],
    ['table ip t {\n\tset s {\n\t\ttype mark\n\t}\n\tset s {\n\t\ttype mark\n\t}\n}\n', '5:6'],
    ['table ip t {\n}\ntable ip t {\n}\n', '3:10'],
    ['table ip t {\n\tmap m {\n\t\ttype mark : verdict\n\t\telements = { 5 : drop, 5 : accept }\n\t}\n}\n', '2:6'],
  ],
  rejectedCommand: [['add table ip t\nadd rule ip t c drop\n', '2:1']],
}

describe('problems of a text', () => {
  it.each(Object.entries(WRONG).flatMap(([code, texts]) => texts.map(([text, place]) => [code, text, place])))(
    'have the code %s for the text %j',
    (code, text, place) => {
      expect(problemsOf(text as string)[0]).toBe(`${place} ${code}`)
    },
  )

  it('have a code with an explanation in docs/reference/problems.md', () => {
    const text = readFileSync(new URL('../../../../../docs/reference/problems.md', import.meta.url), 'utf8')
    const section = text.split('\n## ').find((each) => each.startsWith('nftables\n')) ?? ''
    const codes = Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, code]) => code)
    expect(codes).toEqual([...NFTABLES_PROBLEM_CODES])
    expect([...Object.keys(WRONG), 'invalidJson'].sort()).toEqual([...NFTABLES_PROBLEM_CODES].sort())
  })

  it('are all reported, up to a hundred', () => {
    expect(problemsOf('what\nadd what\nadd table ip t\nwhat\n').map((each) => each.split(' ')[0])).toEqual([
      '1:1',
      '2:5',
      '4:1',
    ])
    expect(problemsOf('what\n'.repeat(500)).length).toBe(100)
    expect(problemsOf('\u0001'.repeat(500)).length).toBe(100)
    expect(problemsOf(`table ip t {\nchain c {\n${'comment\n'.repeat(500)}}\n}\n`).length).toBe(100)
    expect(problemsOf(`table ip t {\n${'comment\n'.repeat(500)}}\n`).length).toBe(100)
  })

  it('are shown with an excerpt of their line', () => {
    const read = parseCommands('add table ip t\nadd what\n')
    expect(read.ok ? '' : read.problems[0]?.excerpt).toBe('2 | add what\n  |     ^')
  })
})

const FOREIGN = `# Warning: table ip nat is managed by iptables-nft, do not touch!
table ip nat { # handle 1
	chain DOCKER { # handle 1
		iifname "docker0" counter packets 0 bytes 0 return # handle 6
	}

	chain PREROUTING { # handle 2
		type nat hook prerouting priority dstnat; policy accept;
		fib daddr type local counter packets 0 bytes 0 jump DOCKER # handle 3
	}

	chain POSTROUTING { # handle 4
		type nat hook postrouting priority srcnat; policy accept;
		oifname != "docker0" ip saddr 172.17.0.0/16 counter packets 0 bytes 0 masquerade # handle 5
	}
}
table inet firewalld {
	flags owner,dormant
	ct helper helper-ftp {
		type "ftp" protocol tcp
		l3proto inet
	}

	set allowed { # handle 9
		type ipv4_addr . inet_service
		flags interval
		elements = { 10.0.0.0/8 . 80-90 counter packets 1 bytes 2 comment "x" }
	}

	flowtable ft {
		hook ingress priority filter
		devices = { lo }
	}

	chain filter_INPUT {
		type filter hook input priority filter + 10; policy accept;
		ct state { established, related } accept
		ct state invalid log prefix "STATE_INVALID_DROP: " counter packets 0 bytes 0 drop
		meta nfproto ipv6 fib saddr . mark . iif oif missing drop
		tcp flags & (fin | syn) == syn limit rate 5/second burst 10 packets accept
		xt match recent counter packets 0 bytes 0 drop
		jump { ip saddr 10.0.0.1 drop ; tcp dport 80 accept ; }
		reject with icmpx admin-prohibited
		@th,16,16 80 accept
		ip saddr & 255.0.0.0 == 10.0.0.0 drop
		ct state == new drop
		ip saddr { 10.0.0.1 timeout 5s } drop
		meta mark vmap { 0x00000001 : 0x00000002 }
		snat to 192.0.2.1 random
		masquerade random
		dnat to 192.0.2.1-192.0.2.9
		dnat ip addr . port to ip saddr map { 10.0.0.1 : 192.0.2.1 }
		dnat to 192.0.2.1 persistent
		ct mark set meta mark and 0x1
		meta mark and 0x1 or 0x2 == 0x3 drop
		meta mark set meta mark & 0x1 | 0x2
		meta mark set 0x1 | 0x2
		meta mark { 0x00000001-0x00000005 } drop
		meta mark < 0x00000005 drop
		meta mark 0x00000005/33 drop
		update @allowed { ip saddr . tcp dport timeout 5s limit rate 1/second }
		numgen other mod 2 drop
		fib what type local drop
		update what
		iifname ""-"" drop
		queue
	}
}
`

describe('a truncated text', () => {
  const inChain = (line: string) => `table netdev t {\n\tchain c {\n\t\t${line}\n\t}\n}\n`

  it.each([
    'add chain\n',
    'add set\n',
    'add map ip\n',
    'add element\n',
    'add rule\n',
    'add counter\n',
    'delete counter\n',
    inChain('type filter hook ingress device'),
    inChain('type filter hook ingress devices = { }'),
    inChain('type filter hook ingress devices = { "lo"'),
    inChain('type filter hook ingress devices = { "lo", ;'),
    inChain('type filter hook ingress device "lo" priority'),
    inChain('type filter hook ingress device "lo" priority filter -'),
    inChain('type filter hook ingress device "lo" priority filter +'),
    'table ip t {\n\tset s {\n\t\ttype mark\n\t\telements\n\t}\n}\n',
    'table ip t {\n\tset s {\n\t\ttype ;\n\t}\n}\n',
    'table ip t {\n\tset s {\n\t\ttypeof ;\n\t}\n}\n',
    'table ip t {\n\tset s {\n\t\ttype mark\n\t\telements = { 1 2 }\n\t}\n}\n',
    'table ip t {\n\tchain c {\n\t\tlog \\ }\n\t}\n}\n',
    'table ip t {\n\tchain c {\n\t\tjump a\\ \n\t}\n}\n',
    'table ip t {\n\tset s {\n\t\ttype ifname\n\t\telements = { ""a }\n\t}\n}\n',
    'table ip t {\n\tset s {\n\t\ttype mark\n\t\tflags ;\n\t}\n}\n',
    'table ip t {\n\tmap s {\n\t\ttype mark : ;\n\t}\n}\n',
    'table ip t {\n\tquota q {\n\t\t}\n',
  ])('is rejected: %j', (text) => {
    expect(problemsOf(text)).not.toEqual([])
  })
})

describe('tables of other programs', () => {
  it('are the same after they are parsed and printed, except for comments and handles', () => {
    const tables = tablesOf(FOREIGN)
    const expected = FOREIGN.replace(/^# Warning.*\n/m, '').replace(/ # handle \d+/g, '')
    const normal = (text: string) => text.replaceAll(' and 0x1', ' AND')
    expect(normal(printListings(tables, { version: '1.1' }))).toBe(
      normal(expected)
        .replace('0x1 | 0x2\n\t\tmeta mark {', '0x1 | 0x2\n\t\tmeta mark {')
        .replace(/(\tct helper[\s\S]*?\n\t\}\n\n)([\s\S]*?)(\tflowtable[\s\S]*?\n\t\}\n\n)/, '$1$3$2'),
    )
    expect(tables[0]?.handle).toBe(1)
    expect(tables[0]?.chains[0]).toMatchObject({ handle: 1, rules: [{ handle: 6 }] })
  })

  it('keep unknown words as one statement before the verdict', () => {
    expect(statementsOf('limit rate 5/second burst 10 packets ip saddr 10.0.0.1 accept')).toEqual([
      { kind: 'unknown', words: ['limit', 'rate', '5/second', 'burst', '10', 'packets', 'ip', 'saddr', '10.0.0.1'] },
      { kind: 'accept' },
    ])
    expect(statementsOf('iifname ""a accept')).toEqual([
      { kind: 'unknown', words: ['iifname', '""a'] },
      { kind: 'accept' },
    ])
    expect(statementsOf('iifname "a . b" accept')).toEqual([
      { kind: 'unknown', words: ['iifname', '"a . b"'] },
      { kind: 'accept' },
    ])
    expect(statementsOf('jump {\n\t\t\tip saddr 10.0.0.1 drop\n\t\t\t# why\n\t\t\taccept\n\t\t}')).toEqual([
      { kind: 'unknown', words: ['jump', '{', 'ip', 'saddr', '10.0.0.1', 'drop', ';', 'accept', ';', '}'] },
    ])
  })
})

describe('nft commands', () => {
  it('apply to the existing tables', () => {
    const before = tablesOf('table ip t {\n\tchain c {\n\t\tdrop\n\t}\n}\ntable ip6 u {\n}\n')
    const read = parseNftables(
      'flush chain ip t c; add set ip t s { type mark ; }\nadd element ip t s { 5 }\nflush ruleset ip6\n',
      before,
    )
    expect(read.ok && read.value.length).toBe(1)
    expect(read.ok && read.value[0]?.sets[0]?.elements).toEqual([{ key: '0x00000005' }])
    expect(before[0]?.chains[0]?.rules.length).toBe(1)
    expect(tablesOf('add table t\nadd chain t c\nflush ruleset\n')).toEqual([])
  })

  it('may precede listings in the same text', () => {
    expect(tablesOf('add table ip t\ndelete table ip t\ntable ip t {\n}\n')).toEqual([tableOf('table t {\n}\n')])
  })
})

describe('nft JSON', () => {
  const table = { table: { family: 'ip', name: 't', handle: 1 } }
  const json = (...items: readonly unknown[]) => JSON.stringify({ nftables: [{ metainfo: {} }, table, ...items] })
  const at = { family: 'ip', table: 't' }
  const chain = { chain: { ...at, name: 'c' } }
  const rule = (...expr: readonly unknown[]) => ({ rule: { ...at, chain: 'c', expr } })

  it.each([
    ['no JSON', '{'],
    ['another object', '{}'],
    ['another list', '[]'],
    ['an invalid item', json(5)],
    ['an item without its content', json({ chain: 5 })],
    ['an unknown family', json({ chain: { ...at, family: 'x', name: 'c' } })],
    ['a duplicate table', json(table)],
    ['a table that does not exist', json({ chain: { family: 'ip', table: 'u', name: 'c' } })],
    ['a chain without a name', json({ chain: at })],
    ['a base chain without a hook', json({ chain: { ...at, name: 'c', type: 'filter' } })],
    [
      'a base chain with an unknown policy',
      json({ chain: { ...at, name: 'c', type: 'filter', hook: 'input', prio: 0, policy: 'x' } }),
    ],
    ['a set without a type', json({ set: { ...at, name: 's' } })],
    ['a map without data', json({ map: { ...at, name: 's', type: 'mark' } })],
    ['invalid elements', json({ set: { ...at, name: 's', type: 'mark', elem: 5 } })],
    ...[
      [{}],
      [[5]],
      [[5, 6, 7]],
      [[5, {}]],
      [[{}, 5]],
      [{ elem: {} }],
      [{ concat: [5, {}] }],
      [{ prefix: { addr: 5 } }],
      [{ range: [5] }],
      [{ prefix: {} }],
    ].map((elem, index) => [`a strange element ${index}`, json({ set: { ...at, name: 's', type: 'mark', elem } })]),
    ['a rule without a chain', json({ rule: { ...at, chain: 'c', expr: [] } })],
    ['a rule without expressions', json(chain, { rule: { ...at, chain: 'c' } })],
  ])('is rejected: %s', (_, text) => {
    const read = parseNftablesJson(text as string)
    expect(read.ok ? [] : read.problems.map(({ code, line, column }) => `${line}:${column} ${code}`)).toEqual([
      '1:1 invalidJson',
    ])
  })

  it('is parsed with references to sets in rules', () => {
    const saddr = { payload: { protocol: 'ip', field: 'saddr' } }
    const set = { set: { ...at, name: 'known', type: 'ipv4_addr' } }
    const read = parseNftablesJson(json(chain, set, rule({ match: { op: '==', left: saddr, right: '@known' } })))
    expect(read.ok && read.value[0]?.chains[0]?.rules[0]?.statements[0]).toMatchObject({
      right: { kind: 'named', set: 'known' },
    })
  })

  it('is rejected with an excerpt of its first line', () => {
    const of = (text: string) => {
      const read = parseNftablesJson(text)
      return read.ok ? [] : read.problems.map(({ excerpt }) => excerpt.split('\n')[0])
    }
    expect(of(`{${'x'.repeat(200)}`)).toEqual([`1 | {${'x'.repeat(59)}`])
    expect(of('{"nftables":\n5}')).toEqual(['1 | {"nftables":'])
  })

  it('is rejected with at most a hundred problems', () => {
    const read = parseNftablesJson(json(...Array.from({ length: 200 }, () => 5)))
    expect(read.ok ? 0 : read.problems.length).toBe(100)
  })

  const meta = (key: string) => ({ meta: { key } })
  const strange: readonly unknown[] = [
    'jump { drop }',
    5,
    { what: null },
    { jump: null },
    ...['match', 'vmap', 'mangle', 'dnat', 'set'].flatMap((kind) => [{ [kind]: 5 }, { [kind]: {} }]),
    { match: { op: '==', left: { payload: { protocol: 'ip' } }, right: 5 } },
    { match: { op: '==', left: { payload: 5 }, right: 5 } },
    { match: { op: '==', left: { what: {} }, right: 5 } },
    { match: { op: '==', left: { meta: {} }, right: 5 } },
    { match: { op: '==', left: { ct: { key: 'state', dir: 'original' } }, right: 'new' } },
    { match: { op: '==', left: { ct: {} }, right: 'new' } },
    { match: { op: '==', left: { ct: { key: 'state' } }, right: 'new' } },
    { match: { op: '==', left: { fib: { flags: 5 } }, right: 'new' } },
    { match: { op: '==', left: { numgen: { mode: 'random' } }, right: 5 } },
    { match: { op: 'in', left: meta('l4proto'), right: 'tcp' } },
    { match: { op: '==', left: meta('l4proto'), right: {} } },
    { match: { op: '==', left: meta('l4proto'), right: { set: [[5, { drop: null }]] } } },
    { match: { op: '<', left: { '&': [meta('mark'), 5] }, right: 5 } },
    { vmap: { key: meta('mark'), data: 5 } },
    { mangle: { key: { ct: { key: 'mark' } }, value: 5 } },
    { mangle: { key: meta('mark'), value: meta('iif') } },
    { mangle: { key: meta('mark'), value: 'x' } },
    { masquerade: 5 },
    { masquerade: { flags: ['random'] } },
    { masquerade: { flags: 'fully-random', port: 5 } },
    { dnat: { addr: '10.0.0.1', flags: 'random' } },
    { dnat: { addr: '10.0.0.1', family: 'x' } },
    { dnat: { addr: '10.0.0.1', port: { range: [5, 6] } } },
    { dnat: { addr: '10.0.0.1', port: 65536 } },
    { dnat: { addr: '10.0.0.1', port: -1 } },
    { dnat: { addr: '10.0.0.1', port: 0.5 } },
    { dnat: { addr: 'web' } },
    { dnat: { addr: '10.0.0.1-10.0.0.9', port: 80 } },
    { dnat: { addr: { map: { key: meta('mark'), data: '@m' } } } },
    { dnat: { addr: { map: { key: meta('mark'), data: { set: [[5, '10.0.0.1']] } } }, port: 5 } },
    {
      dnat: {
        addr: {
          map: {
            key: meta('mark'),
            data: {
              set: [
                [5, 6],
                [7, { concat: [8, 9] }],
              ],
            },
          },
        },
      },
    },
    { reject: 5 },
    { set: { op: 'x', elem: meta('mark'), set: '@s' } },
    { set: { op: 'add', elem: { elem: { val: meta('mark'), comment: 'x' } }, set: '@s' } },
    { counter: null },
    { counter: { packets: 5 } },
  ]

  it.each(strange.map((each) => [JSON.stringify(each), each] as const))(
    'keeps an unknown expression unchanged: %s',
    (text, expression) => {
      const read = parseNftablesJson(json(chain, rule(expression)))
      expect(read.ok && read.value[0]?.chains[0]?.rules).toEqual([
        { statements: [{ kind: 'unknownJson', json: text }] },
      ])
    },
  )

  const payload = (protocol: string, field: string) => ({ payload: { protocol, field } })
  const ip = (field: string) => payload('ip', field)
  const ct = (key: string) => ({ ct: { key } })
  const markSet = (sign: string, bits: number) => ({
    mangle: { key: meta('mark'), value: { [sign]: [meta('mark'), bits] } },
  })
  const numgen = { numgen: { mode: 'random', mod: 2, offset: 0 } }
  const lots = (...addresses: readonly unknown[]) => ({
    map: { key: numgen, data: { set: addresses.map((address, index) => [index, address]) } },
  })

  it.each([
    [markSet('|', 0x4000), 'meta mark set meta mark | 0x00004000'],
    [markSet('^', 0x4000), 'meta mark set meta mark ^ 0x00004000'],
    [markSet('&', 0x4000), 'meta mark set meta mark & 0x00004000'],
    [{ accept: null }, 'accept'],
    [{ jump: { target: 'c' } }, 'jump c'],
    [{ vmap: { key: ip('daddr'), data: '@m' } }, 'ip daddr vmap @m'],
    [
      { vmap: { key: { concat: [ip('daddr'), meta('l4proto'), payload('th', 'dport')] }, data: '@m' } },
      'ip daddr . meta l4proto . th dport vmap @m',
    ],
    [
      {
        vmap: {
          key: numgen,
          data: {
            set: [
              [0, { goto: { target: 'a' } }],
              [1, { goto: { target: 'b' } }],
            ],
          },
        },
      },
      'numgen random mod 2 vmap { 0 : goto a, 1 : goto b }',
    ],
    [{ match: { op: '==', left: { '&': [meta('mark'), 0x4000] }, right: 0x4000 } }, 'meta mark & 0x4000 == 0x4000'],
    [{ match: { op: '!=', left: { '&': [meta('mark'), 0x4000] }, right: 0 } }, 'meta mark & 0x4000 != 0'],
    [{ match: { op: '!=', left: meta('mark'), right: 5 } }, 'meta mark != 5'],
    [{ match: { op: 'in', left: ct('state'), right: ['established', 'related'] } }, 'ct state established,related'],
    [
      { match: { op: '==', left: ip('saddr'), right: { prefix: { addr: '10.0.0.0', len: 8 } } } },
      'ip saddr 10.0.0.0/8',
    ],
    [
      { match: { op: '==', left: ip('daddr'), right: { set: ['10.0.0.1', '10.0.0.2'] } } },
      'ip daddr { 10.0.0.1, 10.0.0.2 }',
    ],
    [
      { match: { op: '==', left: { fib: { flags: ['daddr'], result: 'type' } }, right: 'local' } },
      'fib daddr type local',
    ],
    [{ reject: null }, 'reject'],
    [{ reject: { type: 'tcp reset' } }, 'reject with tcp reset'],
    [{ counter: { packets: 5, bytes: 7 } }, 'counter packets 5 bytes 7'],
    [
      { set: { op: 'update', elem: { elem: { val: ip('saddr'), timeout: 10800 } }, set: '@s' } },
      'update @s { ip saddr timeout 3h }',
    ],
    [{ masquerade: null }, 'masquerade'],
    [{ masquerade: { flags: 'fully-random' } }, 'masquerade fully-random'],
    [{ dnat: { addr: '10.0.0.1' } }, 'dnat to 10.0.0.1'],
    [{ dnat: { addr: '10.0.0.1', port: 80 } }, 'dnat to 10.0.0.1:80'],
    [{ dnat: { family: 'ip', addr: lots('10.0.0.1') } }, 'dnat ip to numgen random mod 2 map { 0 : 10.0.0.1 }'],
    [
      { dnat: { family: 'ip', addr: lots({ concat: ['10.0.0.1', 80] }, { concat: ['10.0.0.2', 81] }) } },
      'dnat ip addr . port to numgen random mod 2 map { 0 : 10.0.0.1 . 80, 1 : 10.0.0.2 . 81 }',
    ],
  ])('is parsed: the expression %j is equivalent to the listing %s', (expression, listed) => {
    const read = parseNftablesJson(json(chain, rule(expression)))
    expect(read.ok && read.value[0]?.chains[0]?.rules[0]?.statements).toEqual(statementsOf(listed))
  })

  it('keeps the handles of items that have no parsed details', () => {
    const read = parseNftablesJson(json({ quota: { ...at, name: 'q', handle: 7, bytes: 5 } }))
    expect(read.ok && read.value[0]?.objects).toEqual([
      { kind: 'unknown', type: 'quota', name: 'q', lines: [], handle: 7 },
    ])
  })

  it('is equivalent to the listing for items of every kind', () => {
    const read = parseNftablesJson(
      json(
        { quota: { ...at, name: 'q', handle: 7, bytes: 5 } },
        { 'ct helper': { ...at, handle: 8 } },
        { counter: { ...at, name: 'k', handle: 9, packets: 5, bytes: 7, comment: 'hi' } },
        { map: { ...at, name: 'm', type: 'ifname', map: 'mark', handle: 4, elem: [['eth0', 5]] } },
        { chain: { ...at, name: 'b', type: 'filter', hook: 'ingress', prio: 5, dev: 'lo' } },
        chain,
        rule(
          { match: { op: '==', left: { fib: { flags: ['saddr'], result: 'oif' } }, right: false } },
          { match: { op: '==', left: { fib: { flags: 'saddr', result: 'oif' } }, right: true } },
          { match: { op: '==', left: meta('mark'), right: { range: [5, 6] } } },
          { match: { op: '!=', left: meta('mark'), right: { prefix: { addr: 0, len: 0 } } } },
          { mangle: { key: meta('mark'), value: 5 } },
          { set: { op: 'add', elem: { elem: { val: meta('mark'), timeout: 5 } }, set: 's' } },
          { reject: { type: 'icmp', expr: 'port-unreachable' } },
        ),
      ),
    )
    const listing = tableOf(`table ip t {
	counter k {
		comment "hi"
		packets 5 bytes 7
	}

	quota q {
	}

	map m {
		type ifname : mark
		elements = { "eth0" : 0x00000005 }
	}

	chain b {
		type filter hook ingress device "lo" priority 5; policy accept;
	}

	chain c {
		fib saddr oif missing fib saddr oif exists meta mark 0x00000005-0x00000006 meta mark != 0x00000000/0 meta mark set 0x00000005 add @s { meta mark timeout 5s } reject
	}
}
`)
    expect(read.ok && read.value.map(canonicalize)).toEqual([canonicalize(listing)])
    const flags = parseNftablesJson(
      JSON.stringify({
        nftables: [
          { table: { family: 'ip', name: 't', flags: 'dormant', comment: 'x' } },
          { table: { family: 'ip', name: 'u', flags: ['owner'] } },
        ],
      }),
    )
    expect(flags.ok && flags.value.map((each) => each.flags)).toEqual([['dormant'], ['owner']])
  })
})

describe('content without an equivalent in the other format', () => {
  it.each([
    ['text after a type', 'map m {\n\ttype ipv4_addr : verdict comment "a b"\n}'],
    ['text after an expression', 'map m {\n\ttypeof ip daddr : meta mark "a b"\n}'],
  ])('is rejected in a listing: %s', (_, part) => {
    expect(parseNftables(`table ip t {\n${part}\n}\n`).ok).toBe(false)
  })

  it('is omitted from JSON if it is an empty list of flags', () => {
    const items = [
      { table: { family: 'ip', name: 't', flags: [] } },
      { set: { ...AT, name: 's', type: 'mark', flags: [] } },
    ]
    const read = parseNftablesJson(JSON.stringify({ nftables: items }))
    expect(read.ok && printListings(read.value, { version: '1.1' })).toBe(
      'table ip t {\n\tset s {\n\t\ttype mark\n\t}\n}\n',
    )
    expect(
      parseNftablesJson(JSON.stringify({ nftables: [items[0], { set: { ...AT, name: 's', type: [] } }] })).ok,
    ).toBe(false)
  })

  it('stays unchanged in a listing if it is a type of several words', () => {
    const text = 'table ip t {\n\tmap m {\n\t\ttype ipv4_addr : interval ipv4_addr . inet_service\n\t}\n}\n'
    const read = parseNftables(text)
    expect(read.ok && printListings(read.value, { version: '1.1' })).toBe(text)
  })

  it.each([
    ['a name with a blank', { set: { ...AT, name: 'a b', type: 'ipv4_addr' } }],
    ['a type with a blank', { set: { ...AT, name: 's', type: 'a b' } }],
    ['a type with other characters', { set: { ...AT, name: 's', type: 'ipv4+addr' } }],
    ['a priority beyond the range', { chain: { ...AT, name: 'c', type: 'filter', hook: 'input', prio: 1e300 } }],
    ['a fraction as a priority', { chain: { ...AT, name: 'c', type: 'filter', hook: 'input', prio: 0.5 } }],
    ['a type of data with quotes', { map: { ...AT, name: 'm', type: 'ipv4_addr', map: 'verdict "a b"' } }],
    ['a flag with a blank', { set: { ...AT, name: 's', type: 'ipv4_addr', flags: ['a b'] } }],
    ['a negative size', { set: { ...AT, name: 's', type: 'ipv4_addr', size: -1 } }],
    ['a negative timeout', { set: { ...AT, name: 's', type: 'ipv4_addr', timeout: -1 } }],
    ['a comment with quotes', { chain: { ...AT, name: 'c', comment: 'a"b' } }],
    ['an object name with a semicolon', { counter: { ...AT, name: 'c;', packets: 1, bytes: 2 } }],
  ])('is rejected in JSON: %s', (_, item) => {
    const read = parseNftablesJson(JSON.stringify({ nftables: [{ table: { family: 'ip', name: 't' } }, item] }))
    expect(read.ok ? [] : read.problems.map(({ message }) => message)).toEqual([
      'nftables[1] has a name, word or number that nft does not print',
    ])
  })
})

const AT = { family: 'ip', table: 't' }
