import { describe, expect, it } from 'vitest'
import { parseNftables } from '../../../../analyzer/src/dataplane/nftables/parse/parse.js'
import { parseCommands } from '../../../../analyzer/test/support/parse-commands.js'
import type { NftCommand } from '../../../src/dataplane/nftables/command.js'
import { printCommand, printCommands, printTable } from '../../../src/dataplane/nftables/print/print-commands.js'
import { printListing } from '../../../src/dataplane/nftables/print/print-listing.js'
import { GOLDENS } from './goldens.js'
import { tableOf } from './tables.js'
import { commandsOf } from './transactions.js'

describe('printed commands of an nftables table', () => {
  it.each(GOLDENS)('equal the commands of kube-proxy for $name', ({ text }) => {
    expect(printTable(tableOf(text))).toBe(text)
    expect(printCommands(commandsOf(text))).toBe(text)
  })

  it('contain no unknown words for tables of kube-proxy', () => {
    for (const { text } of GOLDENS) {
      const kinds = tableOf(text).chains.flatMap(({ rules }) =>
        rules.flatMap(({ statements }) => statements.map(({ kind }) => kind)),
      )
      expect(kinds).not.toContain('unknown')
    }
  })
})

describe('nft commands', () => {
  const text = `flush ruleset
flush ruleset ip6
create table ip t { flags dormant ; comment "c" ; }
flush table ip t
delete table ip t
destroy table ip6 t
create chain ip t c
create chain netdev t d { type filter hook ingress device "lo" priority 0 ; policy drop ; comment "in" ; }
create chain netdev t e { type filter hook ingress devices = { "lo" , "eth0" } priority 0 ; }
flush chain ip t c
delete chain ip t c
destroy chain ip t c
create set ip t s { type ipv4_addr ; flags timeout ; timeout 1h1ms ; gc-interval 30s ; size 5 ; policy memory ; auto-merge ; counter ; elements = { 10.0.0.1 counter packets 1 bytes 2 timeout 5s expires 4s996ms comment "x" , 10.0.0.2 } ; comment "c" ; }
add set ip t i { type ifname . mark ; elements = { eth0 . 0x00000005 , "my iface" . 0x00000006 } ; }
add set ip t o { typeof ip saddr . tcp dport ; }
add map ip t p { typeof ip saddr : meta mark ; }
flush set ip t s
delete map ip t m
destroy set ip t s
create element ip t s { 10.0.0.1 , 10.0.0.2 timeout 5s }
delete element ip t m { 10.0.0.1 . tcp . 80 }
destroy element ip t m { 10.0.0.1 . tcp . 80 }
insert rule ip t c drop
add rule ip t c handle 5 drop comment "x"
replace rule ip t c handle 7 accept
delete rule ip t c handle 8
destroy rule ip t c handle 8
create counter ip t k { packets 5 bytes 7 ; comment "hi" ; }
delete counter ip t k
add quota ip t q { over 5 mbytes ; }
add ct helper ip t h { type "ftp" protocol tcp ; l3proto ip ; }
destroy ct helper ip t h
`

  it('are parsed and printed individually', () => {
    expect(printCommands(commandsOf(text))).toBe(text)
  })

  it('are parsed from alternative notations', () => {
    const read = commandsOf(`add table t # a table of IPv4
add rule t c position 5 drop; add rule t c ip ttl lt 5 mark eq 0x5 drop
add chain t \\
  c { type filter hook input priority filter -5; }
add set ip t s { type ipv4_addr; flags dynamic, timeout; timeout 1d2h; elements = { 10.0.0.1,
  10.0.0.2 }; }
`)
    expect(printCommands(read)).toBe(`add table ip t
add rule ip t c handle 5 drop
add rule ip t c ip ttl < 5 mark 0x00000005 drop
add chain ip t c { type filter hook input priority -5 ; }
add set ip t s { type ipv4_addr ; flags dynamic,timeout ; timeout 93600s ; elements = { 10.0.0.1 , 10.0.0.2 } ; }
`)
  })

  it('are parsed with the key types of sets in preceding commands', () => {
    const read = parseCommands('add set ip t s { type mark . inet_proto ; }\nadd element ip t s { 5 . 6 }\n')
    expect(read.ok && printCommand(read.value[1] as NftCommand)).toBe('add element ip t s { 0x00000005 . tcp }')
  })
})

describe('a table that is printed as commands and as a listing', () => {
  const both = (text: string) => {
    const table = tableOf(text)
    return [printTable(table), printListing(table, { version: '1.0' }), printListing(table, { version: '1.1' })]
  }

  it('sorts its chains, sets and objects by name in the listing', () => {
    const [commands, ...listings] = both(`table ip t {
	chain a {
		jump b
	}

	chain b {
		comment "it"
	}

	chain c {
		comment "is"
		type filter hook ingress devices = { "lo", "eth0" } priority filter; policy accept;
		drop
	}

	chain d {
		type filter hook input priority filter; policy drop;
	}

	map m {
		type mark : verdict
		elements = { 5 : drop }
	}

	set s {
		type mark
		elements = { 5, 6, 7, 8, 9, 10 }
	}

	counter k {
		packets 0 bytes 5
	}

	counter l {
		comment "why"
		packets 5 bytes 0
	}

	counter z {
		packets 0 bytes 0
	}

	quota q {
		over 5 mbytes
		used 1 mbytes
	}
}
`)
    expect(commands).toBe(`add table ip t
add chain ip t c { type filter hook ingress devices = { "lo" , "eth0" } priority 0 ; comment "is" ; }
add chain ip t d { type filter hook input priority 0 ; policy drop ; }
add chain ip t a
add chain ip t b { comment "it" ; }
add set ip t s { type mark ; }
add map ip t m { type mark : verdict ; }
add counter ip t k { packets 0 bytes 5 ; }
add counter ip t l { packets 5 bytes 0 ; comment "why" ; }
add counter ip t z
add quota ip t q { over 5 mbytes ; used 1 mbytes ; }
add rule ip t c drop
add rule ip t a jump b
add element ip t s { 0x00000005 }
add element ip t s { 0x00000006 }
add element ip t s { 0x00000007 }
add element ip t s { 0x00000008 }
add element ip t s { 0x00000009 }
add element ip t s { 0x0000000a }
add element ip t m { 0x00000005 : drop }
`)
    const listing = `table ip t {
	counter k {
		packets 0 bytes 5
	}

	counter l {
		comment "why"
		packets 5 bytes 0
	}

	counter z {
		packets 0 bytes 0
	}

	quota q {
		over 5 mbytes
		used 1 mbytes
	}

	map m {
		type mark : verdict
		elements = { 0x00000005 : drop }
	}

	set s {
		type mark
		elements = { 0x00000005, 0x00000006, 0x00000007, 0x00000008, 0x00000009,
			     0x0000000a }
	}

	chain a {
		jump b
	}

	chain b {
		comment "it"
	}

	chain c {
		comment "is"
		type filter hook ingress devices = { "lo", "eth0" } priority filter; policy accept;
		drop
	}

	chain d {
		type filter hook input priority filter; policy drop;
	}
}
`
    expect(listings).toEqual([listing, listing])
  })

  it.each<[string, string, string?]>([
    ['mark 0x00000005', 'meta mark 0x00000005'],
    ['mark != 0x00000005', 'meta mark != 0x00000005'],
    ['mark and 0x00004000 == 0x00004000', 'meta mark & 0x00004000 == 0x00004000'],
    ['mark and 0x00004000 != 0', 'meta mark & 0x00004000 != 0x00000000'],
    ['mark and 0xff000000 == 0x12000000', 'meta mark 0x12000000/8'],
    ['mark and 0xff000000 != 0x12000000', 'meta mark != 0x12000000/8'],
    ['mark and 0x00000000 == 0', 'meta mark 0x00000000/0'],
    ['mark and 0xfffffffe == 0', 'meta mark 0x00000000/31'],
    ['mark and 0xff0000ff == 0', 'meta mark & 0xff0000ff == 0x00000000'],
    ['mark set 0x00000005', 'meta mark set 0x00000005'],
    ['mark set mark or 0x00000005', 'meta mark set meta mark | 0x00000005'],
    ['mark set mark xor 0x00000005', 'meta mark set meta mark ^ 0x00000005'],
    ['mark set mark and 0x00000005', 'meta mark set meta mark & 0x00000005'],
    ['ip saddr { 10.0.0.1,10.0.0.2 }', 'ip saddr { 10.0.0.1, 10.0.0.2 }'],
    ['ip saddr != { 10.0.0.1 , 10.0.0.2 }', 'ip saddr != { 10.0.0.1, 10.0.0.2 }'],
    ['ip ttl < 5', 'ip ttl < 5'],
    ['ip saddr @s', 'ip saddr @s'],
    ['iifname eth0', 'iifname "eth0"'],
    ['iifname "ct"', 'iifname "ct"'],
    ['iifname { "limit",lo }', 'iifname { "limit", "lo" }'],
    ['iifname drop*', 'iifname "drop*"'],
    ['iifname { eth0,lo }', 'iifname { "eth0", "lo" }'],
    ['ct state new,related', 'ct state new,related'],
    ['ct status != dnat', 'ct status != dnat'],
    ['tcp dport vmap { 80 : drop , 81 comment "x" : goto a }', 'tcp dport vmap { 80 : drop, 81 comment "x" : goto a }'],
    ['tcp dport vmap @m', 'tcp dport vmap @m'],
    ['update @s { ip saddr . tcp dport timeout 3600s }', 'update @s { ip saddr . tcp dport timeout 1h }'],
    ['add @s { ip saddr timeout 1s500ms }', 'add @s { ip saddr timeout 1s500ms }'],
    ['delete @s { ip saddr }', 'delete @s { ip saddr }'],
    ['counter packets 1 bytes 2', 'counter packets 1 bytes 2'],
    ['counter name "k"', 'counter name "k"'],
    ['masquerade', 'masquerade'],
    ['masquerade fully-random', 'masquerade fully-random'],
    ['reject', 'reject'],
    ['reject with icmp admin-prohibited', 'reject with icmp admin-prohibited'],
    ['dnat to 10.0.0.1', 'dnat to 10.0.0.1'],
    ['dnat ip to 10.0.0.1:80', 'dnat ip to 10.0.0.1:80'],
    ['dnat ip6 to [fd00::1]:80', 'dnat ip6 to [fd00::1]:80'],
    [
      'dnat to numgen random mod 2 map { 0 : 10.0.0.1 , 1 : 10.0.0.2 }',
      'dnat to numgen random mod 2 map { 0 : 10.0.0.1, 1 : 10.0.0.2 }',
    ],
    [
      'dnat ip addr . port to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }',
      'dnat ip to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }',
      'dnat ip addr . port to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }',
    ],
    ['jump a', 'jump a'],
    ['continue', 'continue'],
    ['log prefix "a b" accept', 'log prefix "a b" accept'],
    ['drop comment "why"', 'drop comment "why"'],
  ])('contains the rule %s as %s in the listing', (written, older, newer = older) => {
    const [commands = '', ...listings] = both(`table ip t {\n\tchain c {\n\t\t${written}\n\t}\n}\n`)
    expect(commands.split('\n').at(-2)).toBe(`add rule ip t c ${written}`)
    expect(listings.map((text) => text.split('\n')[2])).toEqual([`\t\t${older}`, `\t\t${newer}`])
  })
})

it('parseNftables does not split quoted text at separators', () => {
  const text = 'table ip t {\n\tset s {\n\t\ttypeof ip saddr\n\t\telements = { "a{,;" }\n\t}\n}\n'
  const read = parseNftables(text)
  expect(read.ok && read.value.map((table) => printListing(table, { version: '1.0' }))).toEqual([text])
})

describe('the nftables printers', () => {
  const empty = { family: 'ip', name: 't', chains: [], sets: [], objects: [] } as const
  const rule = (statement: object) =>
    ({ ...empty, chains: [{ name: 'c', rules: [{ statements: [statement] }] }] }) as never

  it.each([
    ['a quote in a comment', { ...empty, comment: 'a"b' }],
    ['an end of line in a comment', { ...empty, comment: 'a\nb' }],
    ['a name of two words', { ...empty, name: 'a b' }],
    ['an empty name', { ...empty, name: '' }],
    ['a chain of two words', rule({ kind: 'jump', chain: 'a ; b' })],
    ['words that would be two statements', rule({ kind: 'unknown', words: ['log', ';', 'drop'] })],
    ['an empty list of words', rule({ kind: 'unknown', words: [''] })],
    ['an unclosed brace', rule({ kind: 'unknown', words: ['{'] })],
    ['a closing brace without an opening brace', rule({ kind: 'unknown', words: ['}', '{'] })],
    ['an unclosed quote', rule({ kind: 'unknown', words: ['"a'] })],
    ['a comment sign', rule({ kind: 'unknown', words: ['#', 'a'] })],
    ['two words in one item', rule({ kind: 'unknown', words: ['a b'] })],
    ['a mark of 33 bits', rule({ kind: 'markSet', operation: 'or', value: 2 ** 32 })],
    ['a fraction of a packet', rule({ kind: 'counter', packets: 0.5, bytes: 0 })],
    ['a key of two words', rule({ kind: 'vmap', key: [], map: { kind: 'anonymous', elements: [{ key: 'a b' }] } })],
    ['an unclosed key', rule({ kind: 'vmap', key: [], map: { kind: 'anonymous', elements: [{ key: '"a' }] } })],
    ['an address in quotes', rule({ kind: 'dnat', to: { kind: 'address', address: '""', port: 80 } })],
    ['an address of two words', rule({ kind: 'dnat', to: { kind: 'address', address: '10.0.0.1 . 80' } })],
    [
      'a range with one end in quotes',
      rule({ kind: 'vmap', key: [], map: { kind: 'anonymous', elements: [{ key: 'a-"b"' }] } }),
    ],
    ['a key partly in quotes', rule({ kind: 'vmap', key: [], map: { kind: 'anonymous', elements: [{ key: '""a' }] } })],
    ['a key of two elements', rule({ kind: 'vmap', key: [], map: { kind: 'anonymous', elements: [{ key: 'a, b' }] } })],
  ])('reject %s', (_, table) => {
    expect(() => printTable(table)).toThrow('This is a bug in kube-rules')
    expect(() => printListing(table, { version: '1.0' })).toThrow('This is a bug in kube-rules')
  })

  it('throw an argument error for statements that exist only in JSON', () => {
    const table = rule({ kind: 'unknownJson', json: '{"xt":null}' })
    const expected = expect.objectContaining({
      diagnostics: [
        {
          severity: 'error',
          code: 'invalidArgument',
          object: { kind: 'Argument', name: 'state' },
          path: 'nftables',
          message: '{"xt":null} cannot be printed as text, because only the JSON of nft has it',
          expected: 'a table read from the output of nft',
        },
      ],
    })
    expect(() => printTable(table)).toThrow(expected)
    expect(() => printListing(table, { version: '1.0' })).toThrow(expected)
  })

  it('reject an invalid priority', () => {
    const base = { type: 'filter', hook: 'input', priority: 0.5, policy: 'accept' } as const
    expect(() => printTable({ ...empty, chains: [{ name: 'c', base, rules: [] }] })).toThrow('cannot be a priority')
  })
})
