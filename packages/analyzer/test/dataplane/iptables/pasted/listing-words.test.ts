import { describe, expect, it } from 'vitest'
import type { ListingRow } from '../../../../src/dataplane/iptables/pasted/listing-row.js'
import { toRuleArguments } from '../../../../src/dataplane/iptables/pasted/listing-words.js'

/** Formats the words of a row that matches every packet, with overrides, separated by blanks. */
function words(row: Partial<ListingRow>): string {
  const nothing = { protocol: 'all', options: '--', source: 'anywhere', destination: 'anywhere', rest: '' }
  return toRuleArguments({ ...nothing, ...row }).join(' ')
}

describe('columns of a row', () => {
  it.each<[Partial<ListingRow>, string]>([
    [{}, ''],
    [{ target: 'ACCEPT' }, '-j ACCEPT'],
    [{ source: '0.0.0.0/0', destination: '::/0' }, ''],
    [{ source: 'default', destination: 'default' }, ''],
    [{ source: '10.0.0.0/8', destination: '!10.96.0.1' }, '-s 10.0.0.0/8 ! -d 10.96.0.1'],
    [{ source: '10.0.0.0/0.0.0.0', destination: '10::/0' }, '-s 10.0.0.0/0.0.0.0 -d 10::/0'],
    [{ source: 'anywhere-else', destination: 'nodefault' }, '-s anywhere-else -d nodefault'],
    [{ source: 'localhost', destination: '!localhost' }, '-s 127.0.0.1 ! -d 127.0.0.1'],
    [{ source: 'localhost/8', destination: '!127.0.0.1/8' }, '-s 127.0.0.0/8 ! -d 127.0.0.0/8'],
    [{ source: 'localhost.lan', destination: 'my-localhost' }, '-s localhost.lan -d my-localhost'],
    [{ inInterface: '*', outInterface: 'any' }, ''],
    [{ inInterface: 'any', outInterface: '*' }, ''],
    [{ inInterface: 'cni+', outInterface: '!eth0' }, '-i cni+ ! -o eth0'],
    [{ protocol: '0' }, ''],
    [{ protocol: 'tcp' }, '-p tcp'],
    [{ protocol: '!17' }, '! -p 17'],
    [{ options: '-f' }, '-f'],
    [{ options: '!f' }, '! -f'],
    [{ options: '' }, ''],
    [
      {
        target: 'KUBE-X',
        protocol: 'udp',
        options: '-f',
        inInterface: 'a',
        outInterface: 'b',
        source: '10.0.0.1',
        destination: '10.0.0.2',
        rest: 'udp dpt:53',
      },
      '-s 10.0.0.1 -d 10.0.0.2 -i a -o b -p udp -f -m udp --dport 53 -j KUBE-X',
    ],
  ])('are parsed as the options of a rule: %j: %s', (row, expected) => {
    expect(words(row)).toBe(expected)
  })
})

describe('matches of a row', () => {
  it.each([
    ['tcp', '-m tcp'],
    ['tcp dpt:80', '-m tcp --dport 80'],
    ['udp spt:domain dpts:1:1023', '-m udp --sport 53 --dport 1:1023'],
    ['sctp spts:!1:90 dpt:!http', '-m sctp ! --sport 1:90 ! --dport 80'],
    ['tcp dpt:http-alt', '-m tcp --dport 8080'],
    ['tcp flags:FIN,SYN,RST,ACK/SYN', '-m tcp --tcp-flags FIN,SYN,RST,ACK SYN'],
    ['tcp dpt:80 flags:!0x17/0x02', '-m tcp --dport 80 ! --tcp-flags FIN,SYN,RST,ACK SYN'],
    ['tcp flags:0x3F/0x00', '-m tcp --tcp-flags FIN,SYN,RST,PSH,ACK,URG NONE'],
    ['tcp flags:0x28/0x8', '-m tcp --tcp-flags PSH,URG PSH'],
    ['tcp flags:0xZZ/A0x1', '-m tcp --tcp-flags 0xZZ A0x1'],
    ['tcpmss match 1:500', '-m listed tcpmss match 1:500'],
    ['ADDRTYPE match dst-type LOCAL', '-m addrtype --dst-type LOCAL'],
    ['ADDRTYPE match src-type LOCAL', '-m addrtype --src-type LOCAL'],
    [
      'ADDRTYPE match src-type !LOCAL dst-type UNICAST,LOCAL',
      '-m addrtype ! --src-type LOCAL --dst-type UNICAST,LOCAL',
    ],
    ['ADDRTYPE match dst-type !LOCAL', '-m addrtype ! --dst-type LOCAL'],
    ['statistic mode random probability 0.50000000000', '-m statistic --mode random --probability 0.50000000000'],
    ['statistic mode random ! probability 0.25', '-m statistic --mode random ! --probability 0.25'],
    ['statistic mode nth every 3', '-m statistic --mode nth --every 3 --packet 0'],
    ['statistic mode nth ! every 3 packet 12', '-m statistic --mode nth ! --every 3 --packet 12'],
    ['mark match 0x4000/0x4000', '-m mark --mark 0x4000/0x4000'],
    ['mark match ! 0x8000', '-m mark ! --mark 0x8000'],
    ['mark match !0x8000', '-m mark ! --mark 0x8000'],
    ['connmark match  0xAB', '-m connmark --mark 0xAB'],
    ['CONNMARK match 0x1', '-m connmark --mark 0x1'],
    ['ctstate RELATED,ESTABLISHED', '-m conntrack --ctstate RELATED,ESTABLISHED'],
    ['! ctstate NEW', '-m conntrack ! --ctstate NEW'],
    ['state NEW', '-m state --state NEW'],
    ['! state INVALID,NEW', '-m state ! --state INVALID,NEW'],
    ['recent: REMOVE', '-m recent --remove'],
    [
      'recent: SET name: DEFAULT side: source mask: 255.255.255.255',
      '-m recent --set --name DEFAULT --mask 255.255.255.255 --rsource',
    ],
    [
      'recent: CHECK seconds: 10800 reap name: KUBE-SEP-A side: source',
      '-m recent --rcheck --seconds 10800 --reap --name KUBE-SEP-A --rsource',
    ],
    [
      '! recent: UPDATE seconds: 60 hit_count: 4 TTL-Match name: SSH side: dest',
      '-m recent ! --update --seconds 60 --hitcount 4 --name SSH --rdest',
    ],
    ['match-set KUBE-CLUSTER-IP dst,dst', '-m set --match-set KUBE-CLUSTER-IP dst,dst'],
    ['! match-set A src', '-m set ! --match-set A src'],
    ['match-set A dst,dst,src', '-m set --match-set A dst,dst,src'],
    ['PHYSDEV match --physdev-is-in', '-m physdev --physdev-is-in'],
    [
      'PHYSDEV match ! --physdev-is-bridged --physdev-is-out --physdev-in eth0 --physdev-out eth1',
      '-m physdev ! --physdev-is-bridged --physdev-is-out --physdev-in eth0 --physdev-out eth1',
    ],
    ['nfacct-name  packets', '-m nfacct --nfacct-name packets'],
    ['multiport dports 80,https', '-m multiport --dports 80,443'],
    ['multiport sports 1:90', '-m multiport --sports 1:90'],
    ['multiport ports 80', '-m multiport --ports 80'],
    ['! multiport dports 80', '-m multiport ! --dports 80'],
    ['multiport ! dports 80', '-m multiport ! --dports 80'],
    ['multiport !dports 80', '-m multiport ! --dports 80'],
    ['multiport dports !80', '-m multiport ! --dports 80'],
    ['limit: avg 5/min burst 5', '-m limit --limit 5/min'],
    ['limit: avg 10/sec burst 20', '-m limit --limit 10/sec --limit-burst 20'],
    ['ipvs vproto 6 vaddr 10.96.0.1 vport 80', '-m ipvs --vproto 6 --vaddr 10.96.0.1 --vport 80'],
    ['ipvs vproto 6 vaddr 10.96.0.1/32 vport 80', '-m ipvs --vproto 6 --vaddr 10.96.0.1 --vport 80'],
    ['vports', '-m listed vports'],
    ['tcp dpt:80   ctstate NEW  mark match 0x1', '-m tcp --dport 80 -m conntrack --ctstate NEW -m mark --mark 0x1'],
  ])('are parsed as the options of a rule: %s: %s', (rest, expected) => {
    expect(words({ target: 'ACCEPT', rest })).toBe(`${expected} -j ACCEPT`)
    expect(words({ rest })).toBe(expected)
    expect(words({ rest: `x ${rest}` })).toMatch(/^-m listed x /)
  })

  it.each([
    ['/* a */', '-m comment --comment a'],
    ['/* a b */', '-m comment --comment "a b"'],
    ['/* a */ b */', '-m comment --comment "a */ b"'],
    ['/* a */ /* b */', '-m comment --comment a -m comment --comment b'],
    ['/* a */ ctstate NEW', '-m comment --comment a -m conntrack --ctstate NEW'],
    ['/* a', '-m comment --comment a'],
    ['/* */', '-m comment --comment ""'],
    ['/*a', '-m listed /*a'],
    ['/* a"b */', '-m comment --comment "a\\"b"'],
  ])('contain %s as a comment: %s', (rest, expected) => {
    expect(words({ target: 'ACCEPT', rest })).toBe(`${expected} -j ACCEPT`)
  })

  it.each([
    ['string match "a b" ALGO', '-m listed string match "a b" ALGO'],
    ['! owner -x --y !z', '-m listed "!" owner "-x" "--y" !z'],
    ['owner -"x y"', '-m listed owner "-x y"'],
    ['owner "x y', '-m listed owner x y'],
    ['"', '-m listed'],
    ['match-set a"b dst', '-m set --match-set ab dst'],
    ['match-set "a"b dst', '-m set --match-set ab dst'],
    ['match-set "a""b" dst', '-m set --match-set ab dst'],
    ['match-set a"" dst', '-m set --match-set a"" dst'],
    ['owner x"y z"', '-m listed owner x"y z"'],
    ['match-set " dst', '-m set --match-set _ dst'],
    ['match-set "ab" dst', '-m set --match-set "ab" dst'],
    ['to:10.0.0.1', '-m listed to:10.0.0.1'],
    ['random-fully', '-m listed random-fully'],
  ])('contain %s as unknown words: %s', (rest, expected) => {
    expect(words({ target: 'ACCEPT', rest })).toBe(`${expected} -j ACCEPT`)
  })
})

describe('the target of a row', () => {
  it.each([
    ['DNAT', 'to:10.244.1.1:80', '-j DNAT --to-destination 10.244.1.1:80'],
    ['SNAT', 'to:192.0.2.1', '-j SNAT --to-source 192.0.2.1'],
    ['MARK', 'MARK or 0x4000', '-j MARK --set-xmark 0x4000/0x4000'],
    ['MARK', 'MARK xor 0x4000', '-j MARK --set-xmark 0x4000/0x0'],
    ['MARK', 'MARK set 0x2', '-j MARK --set-xmark 0x2/0xffffffff'],
    ['MARK', 'MARK xset 0x1', '-j MARK --set-xmark 0x1/0xffffffff'],
    ['MARK', 'MARK xset 0x1/0x3', '-j MARK --set-xmark 0x1/0x3'],
    ['MARK', 'MARK and 0xffffbfff', '-j MARK --set-xmark 0x0/0x4000'],
    ['MARK', 'MARK and 0x7fffffff', '-j MARK --set-xmark 0x0/0x80000000'],
    ['REJECT', 'reject-with icmp-port-unreachable', '-j REJECT --reject-with icmp-port-unreachable'],
    ['REDIRECT', 'redir ports 40001', '-j REDIRECT --to-ports 40001'],
    ['REDIRECT', 'redir ports http', '-j REDIRECT --to-ports 80'],
    ['LOG', 'LOG flags 0 level 4 prefix "x: "', '-j LOG --log-prefix "x: "'],
    ['LOG', "LOG flags 0 level warning prefix `x'", '-j LOG --log-prefix x'],
    ['LOG', 'LOG flags 0 level warn', '-j LOG'],
    ['LOG', 'LOG flags 0 level 42', '-j LOG --log-level 42'],
    ['LOG', 'LOG flags 0 level info prefix "x"', '-j LOG --log-prefix x --log-level info'],
    ['LOG', 'LOG flags 0 level forewarn', '-j LOG --log-level forewarn'],
    ['LOG', 'LOG flags 0 level 4 and more', '-j LOG LOG flags 0 level 4 and more'],
    ['LOG', 'LOG flags 6 level 4', '-j LOG LOG flags 6 level 4'],
    ['MASQUERADE', 'masq ports: 1024-65535 random-fully', '-j MASQUERADE --to-ports 1024-65535 --random-fully'],
    ['MASQUERADE', 'random', '-j MASQUERADE --random'],
    ['SNAT', 'to:192.0.2.1 persistent', '-j SNAT --to-source 192.0.2.1 --persistent'],
    ['DNAT', 'to:10.0.0.1 random', '-j DNAT --to-destination 10.0.0.1 --random'],
    ['DNAT', 'randomly', '-m listed randomly -j DNAT'],
    ['DNAT', 'to:10.0.0.1 /* a */', '-m comment --comment a -j DNAT --to-destination 10.0.0.1'],
    ['FOO', 'FOO bar', '-j FOO FOO bar'],
    ['FOO', 'FOOT bar', '-m listed FOOT bar -j FOO'],
    ['KUBE-X', '[goto] ctstate NEW', '-m conntrack --ctstate NEW -g KUBE-X'],
    ['KUBE-X', '[goto]', '-g KUBE-X'],
  ])('is parsed as the options of a rule: %s, %s: %s', (target, rest, expected) => {
    expect(words({ target, rest })).toBe(expected)
    expect(words({ target, rest: `x ${rest}` })).toMatch(/^(?:-m listed|-j LOG) x /)
  })

  it.each([
    ['DNAT', 'to:10.0.0.1'],
    ['SNAT', 'to:10.0.0.1'],
    ['MARK', 'MARK or 0x4000'],
    ['REJECT', 'reject-with tcp-reset'],
    ['REDIRECT', 'redir ports 80'],
    ['LOG', 'LOG flags 0 level 4'],
    ['MASQUERADE', 'masq ports: 1-2'],
    ['MASQUERADE', 'random'],
    ['SNAT', 'random'],
    ['DNAT', 'random'],
  ])('keeps its words unchanged if its name only contains %s: %s', (target, rest) => {
    for (const other of [`X${target}`, `${target}X`]) expect(words({ target: other, rest })).toMatch(/^-m listed /)
  })

  it.each(
    'LOG NFLOG CT CONNMARK TCPMSS CHECKSUM TPROXY NETMAP NFQUEUE SET TEE CLASSIFY TOS DSCP TTL AUDIT NOTRACK TRACE SYNPROXY HMARK CLUSTERIP'.split(
      ' ',
    ),
  )('keeps the other words of the row after %s', (target) => {
    expect(words({ target, rest: 'as listed' })).toBe(`-j ${target} as listed`)
    expect(words({ target: `${target}S`, rest: 'as listed' })).toBe(`-m listed as listed -j ${target}S`)
    expect(words({ target: `X${target}`, rest: 'as listed' })).toBe(`-m listed as listed -j X${target}`)
  })
})
