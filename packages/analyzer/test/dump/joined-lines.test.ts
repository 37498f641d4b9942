import { describe, expect, it } from 'vitest'
import { joinBrokenLines } from '../../src/dump/pasted/broken-lines.js'

const joined = (lines: readonly string[]) =>
  joinBrokenLines(lines).map(({ source, isCut }) => (isCut ? `${source} (cut)` : source))

describe('a line of nft that is broken within braces', () => {
  it.each([
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.244.1.5/8080, 1', ' : goto endpoint-B__10.244.2.7/8080 }'],
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.244.1.5/8080,', ' 1 : goto endpoint-B__10.244.2.7/8080 }'],
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.244', '.1.5/8080, 1 : goto endpoint-B }'],
    ['numgen random mod 2 vmap { 0 : goto endpoint-A__10.', '244.1.5/8080 }'],
    ['10.96.20.5 . tcp . 80 : goto service-KHN6ECMT-shop/w', 'eb/tcp/http,'],
    ['fd00:10:96::15 . tcp . 80 : goto service-KHN6ECMT-shop/web/', 'tcp/http }'],
  ])('is joined with the next line: %s', (before, rest) => {
    expect(joined([before, rest, '}'])).toEqual([before + rest, '}'])
  })

  it('is complete if its last element or its opening brace ends the line', () => {
    const elements = [
      'elements = { 10.96.0.1 . tcp . 443 : goto service-A,',
      '10.96.0.10 . udp . 53 : goto service-B }',
    ]
    expect(joined(elements)).toEqual(elements)
    const chain = ['chain service-KHN6ECMT-shop/web/tcp/http/and/more {', 'jump mark-for-masquerade', '}']
    expect(joined(chain)).toEqual(chain)
  })
})

describe('a rule that is broken within the arrow of its comment', () => {
  const before = '-A KUBE-SVC-67NZLRHBNDSAWJRO -m comment --comment "shop/web:http -'
  const rest = '> 10.244.1.5:8080" -j KUBE-SEP-34ZZ2QFGO32YYXXO'
  it('is joined with the next line', () => {
    expect(joined([before, rest, before, rest])).toEqual([before + rest, before + rest])
  })

  it('is cut if the next lines do not have its rest', () => {
    expect(joined([before, '-A X', before, rest, before, rest])).toEqual([
      `${before} (cut)`,
      '-A X',
      before + rest,
      before + rest,
    ])
  })
})

describe('a rule at the column where other lines are broken', () => {
  const before = '-A KUBE-SVC-67NZLRHBNDSAWJRO -m comment --comment "shop/web:http -'
  const rest = '> 10.244.1.5:8080" -j KUBE-SEP-34ZZ2QFGO32YYXXO'
  const joinedWith = (line: string) =>
    joined([line.padEnd(before.length, 'X'), '-A X', before, rest, before, rest]).slice(0, 1)

  it.each([
    ['-A KUBE-NODEPORTS -p tcp -m comment --comment default/a -m tcp -p ', ' (cut)'],
    ['-A KUBE-NODEPORTS -p tcp -m comment --comment default/a:http-and-m', ' (cut)'],
    ['-A KUBE-SERVICES -m comment --comment a/b -j REJECT --reject-with i', ' (cut)'],
    ['-A KUBE-NODEPORTS -p tcp -m comment --comment a -j KUBE-SVC-', ''],
  ])('is cut if it has no target, or only a part of one: %s', (line, mark) => {
    expect(joinedWith(line)).toEqual([line.padEnd(before.length, 'X') + mark])
  })

  it('is cut if it is of nft and the next line is not its rest', () => {
    const other = 'ip daddr 10.96.20.5 tcp dport 80 goto service-KHN6ECMT-shop/web/tcp/'.slice(0, before.length)
    expect(joined([before, rest, before, rest, other, '}'])).toEqual([
      before + rest,
      before + rest,
      `${other} (cut)`,
      '}',
    ])
  })
})

/** The options without value of iptables-extensions(8), and `-f` of iptables(8). */
const OPTIONS_WITHOUT_VALUE = [
  ...['-f', '--syn', '--random', '--random-fully', '--persistent', '--notrack', '--nowildcard', '--transparent'],
  ...['--rsource', '--rdest', '--reap', '--rttl', '--save-mark', '--restore-mark', '--invert', '--exist'],
  ...['--physdev-is-in', '--physdev-is-out', '--physdev-is-bridged', '--limit-iface-in', '--limit-iface-out'],
  ...['--clamp-mss-to-pmtu', '--checksum-fill', '--queue-bypass', '--queue-cpu-fanout'],
  ...['--log-uid', '--log-tcp-sequence', '--log-tcp-options', '--log-ip-options'],
]

/** The answers of REJECT in iptables-extensions(8), and those that only newer ip6tables have. */
const ANSWERS = [
  ...['icmp-net-unreachable', 'icmp-host-unreachable', 'icmp-port-unreachable', 'icmp-proto-unreachable'],
  ...['icmp-net-prohibited', 'icmp-host-prohibited', 'icmp-admin-prohibited', 'tcp-reset'],
  ...['icmp6-no-route', 'icmp6-adm-prohibited', 'icmp6-addr-unreachable', 'icmp6-port-unreachable'],
  ...['icmp6-policy-fail', 'icmp6-reject-route'],
]

describe('a rule in the longest line', () => {
  const rule = (end: string) => `-A KUBE-MARK-MASQ -s 10.244.1.5/32 -j ACCEPT ${end}`

  it.each([
    ...OPTIONS_WITHOUT_VALUE,
    ...ANSWERS.map((answer) => `--reject-with ${answer}`),
    ...['src', 'dst', 'dst,dst', 'dst,src,dst'].map((sides) => `--match-set KUBE-CLUSTER-IP ${sides}`),
  ])('is complete if it ends with %s', (end) => {
    expect(joined([rule(end)])).toEqual([rule(end)])
  })

  it.each([
    ...OPTIONS_WITHOUT_VALUE.filter((option) => option !== '-f').map((option) => option.slice(0, -1)),
    ...ANSWERS.map((answer) => `--reject-with ${answer.slice(0, -1)}`),
    ...['s', 'ds', 'dst,', 'dst,d', 'x,dst'].map((sides) => `--match-set KUBE-CLUSTER-IP ${sides}`),
    ...['--to-destination', '-m', '-', '--', '-m comment --comment "a', '/* a'],
  ])('is cut if it ends with %s', (end) => {
    expect(joined([rule(end)])).toEqual([`${rule(end)} (cut)`])
  })
})

describe('the rest of a line', () => {
  it.each(['TCP port with externalTrafficPolicy=local" -j KUBE-NODE-PORT', 'UDP port" -j KUBE-MARK-MASQ'])(
    'may begin like a virtual server: %s',
    (rest) => {
      const before = '-A KUBE-NODE-PORT -p tcp -m comment --comment "Kubernetes nodeport '
      expect(joined([before, rest, before, rest])).toEqual([before + rest, before + rest])
    },
  )
})
