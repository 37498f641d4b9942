import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { print } from '../../../compiler/src/print/print.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { verify } from '../../src/verify/verify.js'

// Tables of iptables-nft, as `nft list ruleset` prints them: nft 1.0 with libxtables, and newer ones without it.

/** Returns the rules that are read from a table nat with chain KUBE-SERVICES and other rules, one per chain. */
function rulesOf(rules: Readonly<Record<string, string>>, header: 'ip' | 'ip6' = 'ip'): readonly string[] {
  const chains = Object.entries({ 'KUBE-SERVICES': '', ...rules }).map(
    ([chain, rule]) => `\tchain ${chain} {\n\t\t${rule}\n\t}\n`,
  )
  const parsed = parseDump(`table ${header} nat {\n${chains.join('\n')}}\n`, { lenient: true })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const state = parsed.value[header === 'ip' ? 'IPv4' : 'IPv6']
  return print(state, { format: 'save' })
    .split('\n')
    .filter((line) => line.startsWith('-A '))
}

describe('the rules of iptables-nft as nft lists them', () => {
  it.each([
    [
      'ip saddr != 10.0.0.0/8 ip daddr 10.96.0.1 counter packets 0 bytes 0 return',
      '! -s 10.0.0.0/8 -d 10.96.0.1/32 -j RETURN',
    ],
    [
      'meta l4proto tcp ip daddr 10.96.0.1  tcp dport 80 counter packets 1 bytes 60 jump B',
      '-d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j B',
    ],
    [
      'meta l4proto udp udp sport 1024-65535 udp dport != 53 goto B',
      '-p udp -m udp --sport 1024:65535 ! --dport 53 -g B',
    ],
    ['iifname "eth0" oifname != "cali*" counter packets 0 bytes 0 drop', '-i eth0 ! -o cali+ -j DROP'],
    [
      'ct state related,established counter packets 0 bytes 0 accept',
      '-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
    ],
    ['ct state != new accept', '-m conntrack ! --ctstate NEW -j ACCEPT'],
    [' fib daddr type local counter packets 0 bytes 0 jump B', '-m addrtype --dst-type LOCAL -j B'],
    ['fib saddr type != local jump B', '-m addrtype ! --src-type LOCAL -j B'],
    [
      'meta mark & 0x00004000 != 0x00004000 counter packets 0 bytes 0 return',
      '-m mark ! --mark 0x4000/0x4000 -j RETURN',
    ],
    [
      'meta random & 2147483647 < 1073741824 counter packets 0 bytes 0 jump B',
      '-m statistic --mode random --probability 0.50000000000 -j B',
    ],
    ['counter packets 0 bytes 0 meta mark set mark or 0x4000', '-j MARK --set-xmark 0x4000/0x4000'],
    ['counter packets 0 bytes 0 meta mark set mark xor 0x4000', '-j MARK --set-xmark 0x4000/0x0'],
    ['meta mark set 0x2', '-j MARK --set-xmark 0x2/0xffffffff'],
    ['meta mark set mark and 0xffff', '-j MARK --set-xmark 0x0/0xffff0000'],
    ['counter packets 0 bytes 0 masquerade fully-random', '-j MASQUERADE --random-fully'],
    [
      'meta l4proto tcp   counter packets 0 bytes 0 dnat to 10.244.1.5:8080',
      '-p tcp -j DNAT --to-destination 10.244.1.5:8080',
    ],
    ['dnat to 10.244.1.5', '-j DNAT --to-destination 10.244.1.5'],
    ['counter packets 0 bytes 0 reject', '-j REJECT --reject-with icmp-port-unreachable'],
    ['reject with icmp type admin-prohibited', '-j REJECT --reject-with icmp-admin-prohibited'],
    ['reject with tcp reset', '-j REJECT --reject-with tcp-reset'],
    ['xt match "comment" counter packets 0 bytes 0 jump B', '-j B'],
    ['xt match comment counter packets 0 bytes 0', ''],
    ['xt match "addrtype" counter packets 0 bytes 0 jump B', '-m addrtype -j B'],
    ['counter packets 0 bytes 0 xt target "MASQUERADE"', '-j MASQUERADE'],
    ['counter packets 0 bytes 0 xt target "DNAT"', '-j DNAT'],
    ['ct status dnat drop', '-m nft -j DROP'],
    ['tcp dport { 80, 443 } drop', '-m nft -j DROP'],
    ['numgen random mod 2 vmap { 0 : goto A, 1 : goto B }', '-m nft'],
    ['dnat ip addr . port to numgen random mod 1 map { 0 : 10.244.1.5 . 80 }', '-j DNAT'],
    ['meta skuid 0 accept', '-m nft -j ACCEPT'],
    ['icmp type echo-request accept', '-m nft -j ACCEPT'],
    ['ip protocol 4 accept', '-m nft -j ACCEPT'],
    ['tcp flags syn accept', '-m nft -j ACCEPT'],
  ])('are read: %s', (listed, rule) => {
    expect(rulesOf({ A: listed })).toEqual([`-A A ${rule}`.trim()])
  })

  it('record their client if they select an endpoint', () => {
    const rule = 'meta l4proto tcp  xt match recent  counter packets 0 bytes 0 dnat to 10.244.1.5:8080'
    const [read] = rulesOf({ 'KUBE-SEP-A': rule })
    expect(read).toBe(
      '-A KUBE-SEP-A -p tcp -m recent --set --name KUBE-SEP-A --mask 255.255.255.255 --rsource -j DNAT --to-destination 10.244.1.5:8080',
    )
    expect(rulesOf({ 'KUBE-SVC-A': 'xt match recent jump KUBE-SEP-A' })).toEqual([
      '-A KUBE-SVC-A -m recent -j KUBE-SEP-A',
    ])
  })

  it('are read in tables of IPv6', () => {
    expect(rulesOf({ A: 'ip6 daddr fd00::1 reject with icmpv6 type addr-unreachable' }, 'ip6')).toEqual([
      '-A A -d fd00::1/128 -j REJECT --reject-with icmp6-addr-unreachable',
    ])
    expect(rulesOf({ A: 'dnat to [fd00::1]:80' }, 'ip6')).toEqual(['-A A -j DNAT --to-destination [fd00::1]:80'])
  })

  it('have the built-in chains with their policies, and a note', () => {
    const base = 'type filter hook forward priority filter; policy drop;'
    const text = `table ip nat {\n\tchain KUBE-SVC-A {\n\t}\n}\ntable ip filter {\n\tchain FORWARD {\n\t\t${base}\n\t\tjump A\n\t}\n\tchain A {\n\t}\n}\ntable inet mine {\n}\n`
    const parsed = parseDump(text, { lenient: true })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    const { iptables, nftables, coverage } = parsed.value.IPv4
    expect(iptables?.tables.map(({ name, policies, jumps }) => [name, policies, jumps])).toEqual([
      ['nat', undefined, []],
      [
        'filter',
        [{ chain: 'FORWARD', policy: 'DROP' }],
        [{ chain: 'FORWARD', matches: [], target: { kind: 'jump', chain: 'A' } }],
      ],
    ])
    expect(nftables?.tables.map(({ name }) => name)).toEqual(['mine'])
    expect(coverage).toEqual({ complete: ['iptables'], isListedByNft: true })
    expect(parsed.notes.map(({ code }) => code)).toEqual(['listedByNft'])
  })

  it('are no evidence of tables that are not listed', () => {
    const parsed = parseDump('table ip nat {\n\tchain KUBE-SERVICES {\n\t}\n}\n', { lenient: true })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    // Table filter may drop the packet, as in a dump with only table nat of iptables-save.
    expect(parsed.value.IPv4.coverage).toEqual({ complete: ['nat'], isListedByNft: true })
    expect(parsed.notes.map(({ code }) => code)).toEqual(['listedByNft', 'fragment'])
  })

  it('are complete only in chains that an excerpt shows completely', () => {
    const text = '$ nft list table ip nat\ntable ip nat {\n\tchain KUBE-SERVICES {\n\t\taccept\n\t}\n}\nand so on\n'
    const coverageOf = (listing: string) => {
      const parsed = parseDump(listing, { lenient: true })
      return parsed.ok ? parsed.value.IPv4.coverage : undefined
    }
    expect(coverageOf(text)).toEqual({ complete: ['nat/KUBE-SERVICES'], isListedByNft: true })
    expect(coverageOf(text.replace('\n\t\taccept', '\n...'))).toEqual({ complete: [], isListedByNft: true })
  })

  it('are not compared with those of kube-proxy', () => {
    const parsed = parseDump('table ip nat {\n\tchain KUBE-SERVICES {\n\t}\n}\n', { lenient: true })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    const { families } = verify(compile({ services: [] }, { nodeName: 'node-1', families: ['IPv4'] }), parsed.value)
    expect(families[0]?.drift).toEqual([])
    const reason = 'nft lists the rules without their comments; iptables-save prints them'
    expect(families[0]?.unverified.map((each) => [each.part, each.reason])).toEqual([
      ['iptables filter', reason],
      ['iptables nat', reason],
    ])
  })

  it.each([
    [
      'iptables-save has them too',
      '*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\ntable ip nat {\n\tchain X {\n\t}\n\tchain KUBE-SERVICES {\n\t}\n}\n',
    ],
    ['the table is not of kube-proxy', 'table ip nat {\n\tchain DOCKER {\n\t}\n}\n'],
    ['the table has another name', 'table ip mine {\n\tchain KUBE-SERVICES {\n\t}\n}\n'],
  ])('are read as a table of nftables if %s', (_, text) => {
    const parsed = parseDump(text, { lenient: true })
    expect(parsed.ok && parsed.value.IPv4.nftables?.tables).toHaveLength(1)
    expect(parsed.ok && parsed.notes.filter(({ code }) => code === 'listedByNft')).toEqual([])
  })
})
