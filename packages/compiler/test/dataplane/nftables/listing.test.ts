import { describe, expect, it } from 'vitest'
import { canonicalize } from '../../../src/dataplane/nftables/canonical.js'
import { toListedForm } from '../../../src/dataplane/nftables/listed-form.js'
import {
  countElementsPerLine,
  printListing,
  printListings,
} from '../../../src/dataplane/nftables/print/print-listing.js'
import { tableOf, tablesOf, withRule } from './tables.js'

/** Returns the line of the rule in the listing of its table. */
function listedRule(rule: string, version: '1.0' | '1.1' = '1.0', family = 'ip'): string {
  const text = printListing(toListedForm(tableOf(withRule(rule, family)), version), { version })
  return text.split('\n')[2]?.trim() ?? ''
}

describe('the listing of a rule', () => {
  it.each([
    ['mark set mark or 0x00004000', 'meta mark set meta mark | 0x00004000'],
    ['mark set mark xor 0x00004000', 'meta mark set meta mark ^ 0x00004000'],
    ['mark set mark and 0xffffbfff', 'meta mark set meta mark & 0xffffbfff'],
    ['mark set 0x10', 'meta mark set 0x00000010'],
    ['mark and 0x00004000 == 0 return', 'meta mark & 0x00004000 == 0x00000000 return'],
    [
      'mark and 0x00004000 != 0 mark set mark xor 0x00004000 masquerade fully-random',
      'meta mark & 0x00004000 != 0x00000000 meta mark set meta mark ^ 0x00004000 masquerade fully-random',
    ],
    ['mark and 0x80000000 != 0 drop', 'meta mark != 0x00000000/1 drop'],
    ['mark and 0x80000000 == 0 drop', 'meta mark 0x00000000/1 drop'],
    ['mark and 0xff000000 == 0x12000000 drop', 'meta mark 0x12000000/8 drop'],
    ['mark and 0x00000000 == 0 drop', 'meta mark 0x00000000/0 drop'],
    ['mark 0x5 drop', 'meta mark 0x00000005 drop'],
    ['mark != 5 drop', 'meta mark != 0x00000005 drop'],
    ['mark { 5 , 3 } drop', 'meta mark { 0x00000003, 0x00000005 } drop'],
    ['mark 5-7 drop', 'meta mark 0x00000005-0x00000007 drop'],
    ['numgen random mod 2 vmap { 0 : goto x , 1 : goto y }', 'numgen random mod 2 vmap { 0 : goto x, 1 : goto y }'],
    [
      'numgen inc mod 3 offset 5 vmap { 6 : drop , 5 : accept }',
      'numgen inc mod 3 offset 5 vmap { 5 : accept, 6 : drop }',
    ],
    ['ip saddr != { 10.0.0.0/9 , 10.128.0.0/9 } drop', 'ip saddr != { 10.0.0.0/8 } drop'],
    ['ip saddr != { 10.0.0.0/24 , 10.0.2.0/24 , 10.0.1.0/24 } drop', 'ip saddr != { 10.0.0.0-10.0.2.255 } drop'],
    ['ip saddr != { 192.0.2.1/32 , 10.0.0.0/8 , 10.1.0.0/16 } drop', 'ip saddr != { 10.0.0.0/8, 192.0.2.1 } drop'],
    ['ip saddr != { 1.2.3.0/24 } drop', 'ip saddr != 1.2.3.0/24 drop'],
    ['ip saddr != { 0.0.0.0/0 } drop', 'ip saddr != 0.0.0.0/0 drop'],
    ['ip daddr { 10.96.0.0/12,10.112.0.0/16 } drop', 'ip daddr { 10.96.0.0-10.112.255.255 } drop'],
    ['ip saddr { 5.6.7.8/32 , 1.2.3.4 , 1.2.3.5 , 1.2.3.6 } drop', 'ip saddr { 1.2.3.4-1.2.3.6, 5.6.7.8 } drop'],
    ['ip saddr { 1.2.3.5 , 1.2.3.4 } drop', 'ip saddr { 1.2.3.4, 1.2.3.5 } drop'],
    ['ip saddr 1.2.3.4/32 drop', 'ip saddr 1.2.3.4 drop'],
    ['ip saddr 10.1.2.3/8 drop', 'ip saddr 10.0.0.0/8 drop'],
    ['ip saddr 10.0.0.0-10.0.0.5 drop', 'ip saddr 10.0.0.0-10.0.0.5 drop'],
    ['tcp dport { 80 , 1-5 , 5-7 , 9 , 8 } accept', 'tcp dport { 1-9, 80 } accept'],
    ['tcp dport { 80 , 5 , 9 , 8 } accept', 'tcp dport { 5, 8, 9, 80 } accept'],
    ['tcp dport 0-1023 accept', 'tcp dport 0-1023 accept'],
    ['meta l4proto 6 drop', 'meta l4proto tcp drop'],
    ['iifname cali* drop', 'iifname "cali*" drop'],
    ['iifname != eth0 drop', 'iifname != "eth0" drop'],
    ['iifname { "b" , "a" } accept', 'iifname { "a", "b" } accept'],
    ['ct state related,new,established accept', 'ct state established,related,new accept'],
    ['ct state { new , established } accept', 'ct state { established, new } accept'],
    ['ct state new,invalid accept', 'ct state invalid,new accept'],
    ['ct status dnat,expected accept', 'ct status expected,dnat accept'],
    ['ct status dnat,snat accept', 'ct status snat,dnat accept'],
    ['ct state odd,new accept', 'ct state odd,new accept'],
    ['fib daddr type local ip daddr != 127.0.0.0/8 drop', 'fib daddr type local ip daddr != 127.0.0.0/8 drop'],
    ['fib saddr . iif oif missing drop', 'fib saddr . iif oif missing drop'],
    ['meta l4proto tcp dnat to 1.2.3.4:80', 'meta l4proto tcp dnat to 1.2.3.4:80'],
    ['counter', 'counter packets 0 bytes 0'],
    ['reject', 'reject'],
    ['reject with icmp type port-unreachable', 'reject'],
    ['reject with icmp type admin-prohibited', 'reject with icmp admin-prohibited'],
    [
      'meta l4proto . th dport { tcp . 80 , udp . 53 , tcp . 53 } drop',
      'meta l4proto . th dport { tcp . 53, udp . 53, tcp . 80 } drop',
    ],
    [
      'ip saddr . tcp dport { 10.0.0.0/8 . 80 , 9.0.0.0/8 . 1-5 } drop',
      'ip saddr . tcp dport { 10.0.0.0/8 . 80, 9.0.0.0/8 . 1-5 } drop',
    ],
    ['drop comment "why not"', 'drop comment "why not"'],
    [
      'dnat to tcp dport map { 81 : 10.0.0.2 , 80 : 10.0.0.1 }',
      'dnat to tcp dport map { 80 : 10.0.0.1, 81 : 10.0.0.2 }',
    ],
    ['tcp dport vmap { 90-99 : drop , 80 : accept }', 'tcp dport vmap { 80 : accept, 90-99 : drop }'],
    [
      'ip saddr vmap { 10.1.2.3/16 : drop , 9.0.0.1/32 : accept }',
      'ip saddr vmap { 9.0.0.1 : accept, 10.1.0.0/16 : drop }',
    ],
    ['tcp dport { 80-90 , http } accept', 'tcp dport { 80-90, http } accept'],
    ['ct state { established , odd } accept', 'ct state { established, odd } accept'],
    ['reject with tcp reset', 'reject with tcp reset'],
    ['reject with icmpv6 port-unreachable', 'reject with icmpv6 port-unreachable'],
  ])('equals the listing of nft: %s', (written, listed) => {
    expect(listedRule(written)).toBe(listed)
    const asItIs = printListing(tableOf(withRule(listed)), { version: '1.0' })
    expect(asItIs.split('\n')[2]?.trim()).toBe(listed)
    expect(canonicalize(tableOf(withRule(listed)))).toEqual(canonicalize(tableOf(withRule(written))))
  })

  const toMap =
    'meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.0.0.4 . 80 , 1 : 10.0.0.5 . 80 }'
  it.each([
    ['1.0', 'meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.0.0.4 . 80, 1 : 10.0.0.5 . 80 }'],
    ['1.1', 'meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.0.0.4 . 80, 1 : 10.0.0.5 . 80 }'],
  ] as const)('has the expected form for a map of destinations in nft %s', (version, listed) => {
    expect(listedRule(toMap, version)).toBe(listed)
    expect(canonicalize(tableOf(withRule(listed)))).toEqual(canonicalize(tableOf(withRule(toMap))))
  })

  it('in nft 1.1 sorts sets of concatenations by the first component first', () => {
    const rule = 'meta l4proto . th dport { tcp . 80 , udp . 53 , tcp . 53 } drop'
    expect(listedRule(rule, '1.1')).toBe('meta l4proto . th dport { tcp . 53, tcp . 80, udp . 53 } drop')
  })

  it('has canonical IPv6 addresses and networks', () => {
    const listed = (rule: string) => listedRule(rule, '1.0', 'ip6')
    expect(listed('ip6 saddr != { fd00::/64 , fd00:0:0:1::/64 } drop')).toBe('ip6 saddr != { fd00::/63 } drop')
    expect(listed('ip6 daddr FD00::1/128 drop')).toBe('ip6 daddr fd00::1 drop')
    expect(listed('ip6 daddr { fd00::2 , fd00::1 } drop')).toBe('ip6 daddr { fd00::1, fd00::2 } drop')
    expect(listed('meta l4proto tcp dnat to [fd00::1]:80')).toBe('meta l4proto tcp dnat to [fd00::1]:80')
    expect(listed('dnat to fd00::1')).toBe('dnat to fd00::1')
    expect(listed('reject with icmpv6 port-unreachable')).toBe('reject')
    expect(listed('ip6 daddr . tcp dport FD00::1 . 80 drop')).toBe('ip6 daddr . tcp dport fd00::1 . 80 drop')
    expect(listed('ip6 daddr { FD00::2 , fd00:0::1 } drop')).toBe('ip6 daddr { fd00::1, fd00::2 } drop')
  })

  it.each([
    ['ip', 'icmp'],
    ['ip6', 'icmpv6'],
    ['inet', 'icmpx'],
    ['bridge', 'icmpx'],
    ['netdev', undefined],
    ['arp', undefined],
  ])('uses plain "reject" in family %s only for the default reject type', (family, kind) => {
    for (const each of ['icmp', 'icmpv6', 'icmpx']) {
      const words = `reject with ${each} port-unreachable`
      expect(listedRule(words, '1.0', family)).toBe(each === kind ? 'reject' : words)
    }
  })
})

describe('the listing of a base chain', () => {
  it.each([
    ['filter', 'prerouting', -110, 'dstnat - 10', 'dstnat - 10'],
    ['filter', 'output', -110, '-110', 'dstnat - 10'],
    ['nat', 'prerouting', -100, 'dstnat', 'dstnat'],
    ['nat', 'output', -100, '-100', 'dstnat'],
    ['filter', 'output', -90, '-90', 'dstnat + 10'],
    ['filter', 'input', 0, 'filter', 'filter'],
    ['filter', 'input', 10, 'filter + 10', 'filter + 10'],
    ['filter', 'input', 11, '11', '11'],
    ['nat', 'postrouting', 100, 'srcnat', 'srcnat'],
    ['nat', 'input', 100, '100', 'srcnat'],
    ['filter', 'forward', -145, 'mangle + 5', 'mangle + 5'],
    ['filter', 'forward', -300, 'raw', 'raw'],
    ['filter', 'forward', 41, 'security - 9', 'security - 9'],
    ['filter', 'forward', 40, 'security - 10', 'security - 10'],
    ['filter', 'forward', 39, '39', '39'],
    ['filter', 'prerouting', -111, '-111', '-111'],
    ['filter', 'prerouting', -89, '-89', '-89'],
    ['filter', 'prerouting', -90, 'dstnat + 10', 'dstnat + 10'],
    ['filter', 'forward', -100, '-100', '-100'],
    ['filter', 'input', -100, '-100', '-100'],
    ['filter', 'postrouting', 110, 'srcnat + 10', 'srcnat + 10'],
    ['filter', 'output', 100, '100', '100'],
    ['filter', 'forward', -150, 'mangle', 'mangle'],
    ['filter', 'forward', 50, 'security', 'security'],
    ['filter', 'forward', -1, 'filter - 1', 'filter - 1'],
  ])('contains the name of the priority for: %s %s %i', (type, hook, priority, older, newer) => {
    const table = tableOf(
      `add table ip t\nadd chain ip t c { type ${type} hook ${hook} priority ${priority} ; policy accept ; }\n`,
    )
    for (const [version, written] of [
      ['1.0', older],
      ['1.1', newer],
    ] as const) {
      const text = printListing(table, { version })
      expect(text).toBe(
        `table ip t {\n\tchain c {\n\t\ttype ${type} hook ${hook} priority ${written}; policy accept;\n\t}\n}\n`,
      )
      expect(tableOf(text)).toEqual(table)
    }
  })

  it('contains other priority names in other families, and device names', () => {
    const text = `table bridge b {
	chain c {
		type filter hook prerouting priority dstnat; policy accept;
	}

	chain d {
		type filter hook output priority out + 1; policy drop;
	}

	chain e {
		type filter hook forward priority 99; policy accept;
	}

	chain f {
		type filter hook postrouting priority srcnat - 10; policy accept;
	}

	chain g {
		type filter hook input priority 300; policy accept;
	}

	chain h {
		type filter hook input priority filter; policy accept;
	}

	chain i {
		type filter hook postrouting priority -300; policy accept;
	}

	chain j {
		type filter hook forward priority 100; policy accept;
	}
}
table netdev n {
	chain i {
		type filter hook ingress device "lo" priority -500; policy accept;
	}

	chain j {
		type filter hook ingress devices = { "eth0", "lo" } priority filter; policy accept;
	}
}
table arp a {
	chain i {
		comment "of arp"
		type filter hook input priority filter - 3; policy accept;
	}
}
`
    const tables = tablesOf(text)
    expect(tables.flatMap(({ chains }) => chains.map(({ base }) => base?.priority))).toEqual([
      ...[-300, 101, 99, 290, 300, -200, -300, 100],
      ...[-500, 0, -3],
    ])
    expect(printListings(tables, { version: '1.0' })).toBe(text)
  })
})

describe('the listing of a set or map', () => {
  it('has one declaration per line, and as many elements per line as the key type determines', () => {
    const commands = `add table ip t { comment "x" ; }
add set ip t s { type ipv4_addr ; flags timeout,dynamic ; timeout 10800s ; }
add set ip t p { type inet_service ; flags interval ; size 100 ; comment "c" ; auto-merge ; gc-interval 90s ; policy memory ; counter ; }
add map ip t m { type ipv4_addr . inet_proto . inet_service : verdict ; }
add map ip t n { type mark : ipv4_addr . inet_service ; }
add set ip t i { type ifname ; }
add set ip t o { typeof ip saddr . meta mark ; }
add chain ip t c
add rule ip t c update @s { ip saddr }
add element ip t s { 10.0.0.3 timeout 100s , 10.0.0.1 , 10.0.0.2 comment "two" }
add element ip t p { 80-90 , 7 , 1-5 }
add element ip t m { 10.0.0.1 . tcp . 80 : goto c , 10.0.0.9 . tcp . 53 comment "x" : drop , 10.0.0.2 . udp . 53 : jump c }
add element ip t n { 5 : 10.0.0.1 . 80 }
add element ip t i { lo , "eth0" }
`
    const expected = `table ip t {
	comment "x"
	set s {
		type ipv4_addr
		size 65535
		flags dynamic,timeout
		timeout 3h
		elements = { 10.0.0.1, 10.0.0.2 comment "two",
			     10.0.0.3 timeout 1m40s }
	}

	set p {
		type inet_service
		policy memory
		size 100
		flags interval
		counter
		auto-merge
		gc-interval 1m30s
		comment "c"
		elements = { 1-5, 7, 80-90 }
	}

	map m {
		type ipv4_addr . inet_proto . inet_service : verdict
		elements = { 10.0.0.9 . tcp . 53 comment "x" : drop,
			     10.0.0.2 . udp . 53 : jump c,
			     10.0.0.1 . tcp . 80 : goto c }
	}

	map n {
		type mark : ipv4_addr . inet_service
		elements = { 0x00000005 : 10.0.0.1 . 80 }
	}

	set i {
		type ifname
		elements = { "lo",
			     "eth0" }
	}

	set o {
		typeof ip saddr . meta mark
	}

	chain c {
		update @s { ip saddr }
	}
}
`
    const table = tableOf(commands)
    expect(printListing(toListedForm(table, '1.0'), { version: '1.0' })).toBe(expected)
    expect(canonicalize(tableOf(expected))).toEqual(canonicalize(table))
    const newer = printListing(toListedForm(table, '1.1'), { version: '1.1' })
    expect(newer.indexOf('10.0.0.1 . tcp . 80')).toBeLessThan(newer.indexOf('10.0.0.2 . udp . 53'))
  })

  it.each([
    ['flags dynamic', 'flags dynamic'],
    ['flags timeout , interval , constant , dynamic', 'flags dynamic,constant,interval,timeout'],
    ['flags timeout', 'flags timeout'],
    ['timeout 5s', 'timeout 5s'],
    ['flags timeout ; timeout 5s', 'timeout 5s'],
    ['flags interval ; timeout 5s', 'flags interval,timeout\ntimeout 5s'],
    ['flags timeout,interval ; timeout 5s', 'flags interval,timeout\ntimeout 5s'],
  ])('contains the flags that result from: %s', (written, listed) => {
    const table = tableOf(`add table ip t\nadd set ip t s { type mark ; ${written} ; }\n`)
    const lines = printListing(toListedForm(table, '1.0'), { version: '1.0' }).split('\n').slice(3, -3)
    expect(lines.map((line) => line.trim()).join('\n')).toBe(listed)
  })

  it.each([
    ['update @s { ip saddr }', '', 'size 65535'],
    ['add @s { ip saddr }', 'size 7 ; ', 'size 7'],
    ['ip saddr @s drop', '', ''],
  ])('has the default size of a dynamic set if a rule adds elements: %s', (rule, size, listed) => {
    const set = `add set ip t s { type ipv4_addr ; ${size}flags dynamic ; }\nadd chain ip t c\n`
    const table = tableOf(`add table ip t\n${set}add rule ip t c ${rule}\n`)
    expect(toListedForm(table, '1.0').sets[0]?.size).toBe(listed === '' ? undefined : Number(listed.slice(5)))
  })

  it.each([
    ['ipv4_addr', 2],
    ['ct_state', 2],
    ['ct_status', 2],
    ['inet_proto', 5],
    ['inet_service', 5],
    ['mark', 5],
    ['integer', 5],
    ['ipv6_addr', 1],
    ['ifname', 1],
    ['ipv4_addr . mark', 1],
    ['', 1],
  ])('for keys of type %s has %i elements per line', (types, count) => {
    expect(countElementsPerLine(types === '' ? [] : types.split(' . '))).toBe(count)
  })

  it('keeps the order of elements if it is unknown how nft sorts them', () => {
    const text = `table inet t {
	set e {
		type ether_addr
		elements = { 00:11:22:33:44:56,
			     00:11:22:33:44:55 }
	}

	set r {
		type ipv4_addr . inet_service
		flags interval
		elements = { 10.0.0.0/8 . 80-90,
			     9.0.0.0/8 . 53 }
	}

	set w {
		type ifname
		flags interval
		elements = { "veth*",
			     "a*" }
	}

	set x {
		type ipv4_addr
		flags interval
		elements = { 10.0.0.0/8, any-way }
	}
}
`
    const table = tableOf(text)
    expect(printListing(toListedForm(table, '1.0'), { version: '1.0' })).toBe(text)
  })
})
