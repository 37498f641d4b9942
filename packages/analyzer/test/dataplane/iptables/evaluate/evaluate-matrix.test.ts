import { describe, expect, it } from 'vitest'
import type { Match, MatchKind, Target, TargetKind } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import type { MatchResult } from '../../../../../compiler/src/dataplane/iptables/matches/operations.js'
import type { TargetEffect } from '../../../../../compiler/src/dataplane/iptables/targets/operations.js'
import type { HookPacket } from '../../../../../compiler/src/dataplane/netfilter/hook-packet.js'
import type { KernelPacket } from '../../../../../compiler/src/dataplane/netfilter/kernel-packet.js'
import { complementOf, createFraction } from '../../../../../compiler/src/internal/fraction.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { facts, kernelPacket, passage } from '../../../../../compiler/test/support/passages.js'
import { evaluateMatches } from '../../../../src/dataplane/iptables/evaluate/evaluate-matches.js'
import { evaluateTarget } from '../../../../src/dataplane/iptables/evaluate/evaluate-target.js'

type MatchRow = readonly [words: string, passage: HookPacket, result: MatchResult]

const third = createFraction(1n, 3n)
const inSet = (ternary: 'yes' | 'no') => passage({}, { facts: facts({ inSet: () => ternary }) })
const seen = (seconds: number | undefined) =>
  passage(
    {},
    {
      facts: facts({
        secondsSinceSeen: (list, address) => (list === 'SEP' && address === '203.0.113.2' ? seconds : undefined),
      }),
    },
  )
const at = (hook: HookPacket['hook'], packet: Partial<KernelPacket> = {}) => passage(packet, { hook })
const virtualServer = { address: '10.96.0.1', port: 80, protocol: 'tcp' }

/** The rule text, a packet, and the expected result; the test derives the negation. */
const MATCH_ROWS: Readonly<Record<MatchKind, readonly MatchRow[]>> = {
  source: [
    ['-s 203.0.113.2', passage(), 'yes'],
    ['-s 203.0.113.2/32', passage(), 'yes'],
    ['-s 203.0.113.0/24', passage(), 'yes'],
    ['-s 203.0.113.20', passage(), 'no'],
    ['-s 203.0.113.20/32', passage(), 'no'],
    ['-s 10.0.0.0/8', passage(), 'no'],
  ],
  destination: [
    ['-d 10.96.0.1', passage(), 'yes'],
    ['-d 10.96.0.1/32', passage(), 'yes'],
    ['-d 10.96.0.0/16', passage(), 'yes'],
    ['-d 10.96.0.10/32', passage(), 'no'],
  ],
  inInterface: [
    ['-i eth0', passage(), 'yes'],
    ['-i eth+', passage(), 'yes'],
    ['-i eth', passage(), 'no'],
    ['-i cni0', passage({ inInterface: undefined }), 'unknown'],
    ['-i cni0', passage({ inInterface: '' }), 'no'],
    ['-i eth0', at('POSTROUTING'), 'no'],
    ['-i eth0', at('FORWARD'), 'yes'],
  ],
  outInterface: [
    ['-o eth0', at('FORWARD'), 'unknown'],
    ['-o lo', at('POSTROUTING'), 'no'],
    ['-o lo', at('POSTROUTING', { destination: '192.168.0.2' }), 'yes'],
    ['-o eth0', at('OUTPUT', { destination: '192.168.0.2' }), 'no'],
    ['-o lo', at('OUTPUT', { destination: '192.168.0.9' }), 'unknown'],
    ['-o eth0', passage(), 'no'],
  ],
  protocol: [
    ['-p tcp', passage(), 'yes'],
    ['-p 6', passage(), 'yes'],
    ['-p all', passage(), 'yes'],
    ['-p 0', passage(), 'yes'],
    ['-p udp', passage(), 'no'],
  ],
  transport: [
    ['-m tcp', passage(), 'yes'],
    ['-m sctp', passage(), 'no'],
  ],
  sourcePort: [
    ['-m tcp --sport 40000', passage(), 'yes'],
    ['-m tcp --sport 1:1023', passage(), 'no'],
    ['-m tcp --sport 40000', passage({ sourcePort: undefined }), 'unknown'],
    ['-m tcp --sport 0:65535', passage({ sourcePort: undefined }), 'yes'],
    ['-m tcp --sport 0:65534', passage({ sourcePort: undefined }), 'unknown'],
    ['-m tcp --sport 1:65535', passage({ sourcePort: undefined }), 'unknown'],
  ],
  destinationPort: [
    ['-m tcp --dport 80', passage(), 'yes'],
    ['-m tcp --dport 80:90', passage(), 'yes'],
    ['-m tcp --dport 81:', passage(), 'no'],
    ['-m tcp --dport 79', passage(), 'no'],
    ['-m tcp --dport 81', passage(), 'no'],
    ['-m tcp --dport 70:80', passage(), 'yes'],
    ['-m tcp --dport :80', passage(), 'yes'],
    ['-m tcp --dport 80:', passage(), 'yes'],
    ['-m tcp --dport 70:79', passage(), 'no'],
  ],
  comment: [['-m comment --comment "whatever it says"', passage(), 'yes']],
  mark: [
    ['-m mark --mark 0x4000/0x4000', passage({ mark: 0x4001 }), 'yes'],
    ['-m mark --mark 0x4000/0x4000', passage(), 'no'],
    ['-m mark --mark 0x80000000/0x80000000', passage({ mark: 0x80000000 }), 'yes'],
    ['-m mark --mark 0x4000', passage({ mark: 0x4001 }), 'no'],
  ],
  conntrack: [
    ['-m conntrack --ctstate NEW', passage(), 'yes'],
    ['-m conntrack --ctstate RELATED,ESTABLISHED', passage(), 'no'],
    ['-m conntrack --ctstate INVALID', passage(), 'no'],
    ['-m conntrack --ctstate ESTABLISHED,DNAT', passage({ translatedBy: 'dnat' }), 'yes'],
    ['-m conntrack --ctstate DNAT', passage({ translatedBy: 'server' }), 'no'],
    ['-m conntrack --ctstate SNAT', passage({ masqueraded: true }), 'yes'],
    ['-m conntrack --ctstate DNAT', passage({ translatedBy: 'redirect' }), 'yes'],
    ['-m conntrack --ctstate DNAT', passage(), 'no'],
    ['-m conntrack --ctstate SNAT', passage(), 'no'],
    ['-m conntrack --ctstate UNTRACKED', passage({ masqueraded: true, translatedBy: 'dnat' }), 'no'],
  ],
  state: [
    ['-m state --state NEW', passage(), 'yes'],
    ['-m state --state RELATED,ESTABLISHED', passage(), 'no'],
    ['-m state --state NEW,INVALID', passage(), 'yes'],
  ],
  addrtype: [
    ['-m addrtype --dst-type LOCAL', passage({ destination: '192.168.0.2' }), 'yes'],
    ['-m addrtype --dst-type LOCAL', passage(), 'no'],
    ['-m addrtype --dst-type LOCAL', passage({ destination: '192.168.0.9' }), 'unknown'],
    ['-m addrtype --src-type LOCAL', passage({ source: '127.0.0.1' }), 'yes'],
    ['-m addrtype --dst-type UNICAST', passage(), 'yes'],
    ['-m addrtype --dst-type UNICAST', passage({ destination: '192.168.0.2' }), 'no'],
    ['-m addrtype --dst-type UNICAST', passage({ destination: '224.0.0.1' }), 'no'],
    ['-m addrtype --dst-type MULTICAST,LOCAL', passage({ destination: '224.0.0.1' }), 'yes'],
    ['-m addrtype --src-type UNSPEC', passage({ source: '0.0.0.0' }), 'yes'],
    ['-m addrtype --dst-type BROADCAST', passage(), 'unknown'],
    ['-m addrtype --dst-type UNICAST', passage({ destination: '0.0.0.0' }), 'no'],
    ['-m addrtype --dst-type UNICAST', passage({ destination: '192.168.0.9' }), 'unknown'],
    ['-m addrtype --dst-type MULTICAST', passage(), 'no'],
    ['-m addrtype --dst-type UNSPEC', passage(), 'no'],
    ['-m addrtype --dst-type LOCAL,BROADCAST', passage(), 'unknown'],
    ['-m addrtype --src-type LOCAL', passage({ destination: '192.168.0.2' }), 'no'],
    ['-m addrtype --dst-type BROADCAST', passage({ destination: '192.168.0.2' }), 'no'],
  ],
  statistic: [
    ['-m statistic --mode random --probability 0.3333333333', passage(), third],
    ['-m statistic --mode random --probability 0.33333333349', passage(), third],
    // Before 1.17 kube-proxy writes five decimals of a share.
    ['-m statistic --mode random --probability 0.33333', passage(), third],
    ['-m statistic --mode random --probability 0.33332999982', passage(), third],
    ['-m statistic --mode random --probability 0.33334', passage(), createFraction(715842199n, 2147483648n)],
    ['-m statistic --mode random --probability 0.3333', passage(), createFraction(178939075n, 536870912n)],
    ['-m statistic --mode random --probability 1.0', passage(), createFraction(1n, 1n)],
    ['-m statistic --mode random --probability 0', passage(), createFraction(0n, 1n)],
  ],
  recent: [
    ['-m recent --name SEP --rcheck --seconds 10 --reap', seen(undefined), 'no'],
    ['-m recent --name SEP --rcheck --seconds 10 --reap', seen(10), 'yes'],
    ['-m recent --name SEP --rcheck --seconds 10 --reap', seen(11), 'no'],
    ['-m recent --name SEP --rcheck', seen(100000), 'yes'],
    ['-m recent --name OTHER --rcheck', seen(1), 'no'],
    ['-m recent --name SEP --set', seen(undefined), 'yes'],
  ],
  nfacct: [['-m nfacct --nfacct-name packets', passage(), 'yes']],
  set: [
    ['-m set --match-set KUBE-CLUSTER-IP dst,dst', inSet('yes'), 'yes'],
    ['-m set --match-set KUBE-CLUSTER-IP dst,dst', inSet('no'), 'no'],
    ['-m set --match-set KUBE-CLUSTER-IP dst,dst', passage(), 'unknown'],
  ],
  physdev: [
    ['-m physdev --physdev-is-in', passage(), 'no'],
    ['-m physdev --physdev-is-in', passage({ bridged: 'yes' }), 'yes'],
    ['-m physdev --physdev-is-in', passage({ bridged: 'unknown' }), 'unknown'],
  ],
  ipvs: [
    ['-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 80', passage({ virtualServer }), 'yes'],
    ['-m ipvs --vproto 6 --vaddr 10.96.0.1 --vport 80', passage({ virtualServer }), 'yes'],
    ['-m ipvs --vaddr 10.96.0.1 --vproto udp --vport 80', passage({ virtualServer }), 'no'],
    ['-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 80', passage(), 'no'],
    ['-m ipvs --vaddr 10.96.0.2 --vproto tcp --vport 80', passage({ virtualServer }), 'no'],
    ['-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 81', passage({ virtualServer }), 'no'],
  ],
  unknown: [['-m hashlimit --hashlimit-upto 5/sec', passage(), 'unknown']],
}

const CANNOT_BE_NEGATED: ReadonlySet<string> = new Set(['transport', 'comment', 'nfacct', 'ipvs', 'unknown'])

function negated(match: Match): Match {
  return 'negated' in match ? { ...match, negated: true } : match
}

function opposite(result: MatchResult): MatchResult {
  if (typeof result !== 'string') return complementOf(result)
  return result === 'yes' ? 'no' : result === 'no' ? 'yes' : 'unknown'
}

const matchRows = Object.entries(MATCH_ROWS).flatMap(([kind, rows]) =>
  rows.map(([words, at, result]) => ({ kind, words, at, result })),
)

describe('the evaluation of one match', () => {
  it.each(matchRows)('returns $result for the $kind match in $words', ({ kind, words, at, result }) => {
    const match = readRule(words, 'IPv4').matches.at(-1)
    if (match === undefined) throw new Error(words)
    expect(match.kind).toBe(kind)
    expect(evaluateMatches([match], at)).toEqual(result)
    expect('negated' in match).toBe(!CANNOT_BE_NEGATED.has(kind))
    if ('negated' in match) expect(evaluateMatches([negated(match)], at)).toEqual(opposite(result))
  })
})

describe('evaluateMatches', () => {
  const unknown = '-m hashlimit --hashlimit-upto 5/sec'
  const half = '-m statistic --mode random --probability 0.5000000000'

  it.each([
    ['', 'yes'],
    ['-p tcp -m tcp --dport 80', 'yes'],
    [`-p udp ${unknown}`, 'no'],
    [`${unknown} -m mark --mark 0x1`, 'no'],
    [unknown, 'unknown'],
    [`-p tcp ${half} ${unknown}`, 'unknown'],
    [`-p tcp ${half}`, createFraction(1n, 2n)],
    [`${half} ${half}`, createFraction(1n, 4n)],
  ])('evaluates the rule "%s" to the result %o', (words, result) => {
    expect(evaluateMatches(readRule(`${words} -j ACCEPT`.trim(), 'IPv4').matches, passage())).toEqual(result)
  })
})

const packet = kernelPacket({ mark: 0x4001 })
const v6 = kernelPacket({ family: 'IPv6', destination: 'fd00::1' })

type TargetRow = readonly [words: string, packet: KernelPacket, effect: TargetEffect]

const TARGET_ROWS: Readonly<Record<TargetKind, readonly TargetRow[]>> = {
  accept: [['-j ACCEPT', packet, { kind: 'accept', packet }]],
  drop: [['-j DROP', packet, { kind: 'drop' }]],
  return: [['-j RETURN', packet, { kind: 'return' }]],
  reject: [
    ['-j REJECT', packet, { kind: 'reject', with: 'icmp-port-unreachable' }],
    ['-j REJECT', v6, { kind: 'reject', with: 'icmp6-port-unreachable' }],
    ['-j REJECT --reject-with tcp-reset', packet, { kind: 'reject', with: 'tcp-reset' }],
  ],
  jump: [['-j KUBE-TARGET', packet, { kind: 'jump', chain: 'KUBE-TARGET' }]],
  goto: [['-g KUBE-TARGET', packet, { kind: 'goto', chain: 'KUBE-TARGET' }]],
  mark: [
    ['-j MARK --or-mark 0x4000', kernelPacket(), { kind: 'continue', packet: kernelPacket({ mark: 0x4000 }) }],
    ['-j MARK --or-mark 0x80000000', packet, { kind: 'continue', packet: { ...packet, mark: 0x80004001 } }],
    ['-j MARK --xor-mark 0x4000', packet, { kind: 'continue', packet: { ...packet, mark: 1 } }],
    ['-j MARK --set-xmark 0x4000/0x0', packet, { kind: 'continue', packet: { ...packet, mark: 1 } }],
    ['-j MARK --set-mark 0x8', packet, { kind: 'continue', packet: { ...packet, mark: 8 } }],
  ],
  masquerade: [['-j MASQUERADE', packet, { kind: 'accept', packet: { ...packet, masqueraded: true } }]],
  dnat: [
    ['-j DNAT --to-destination 10.244.1.1:8080', packet, delivered(packet, '10.244.1.1', 8080)],
    ['-j DNAT --to-destination 10.244.1.1', packet, delivered(packet, '10.244.1.1', 80)],
    ['-j DNAT --to-destination [fd00::b]:8080', v6, delivered(v6, 'fd00::b', 8080)],
    ['-j DNAT --to-destination fd00::b', v6, delivered(v6, 'fd00::b', 80)],
    ['-j DNAT --to-destination [fd00::b]', v6, delivered(v6, 'fd00::b', 80)],
    ...['10.244.1.1:80-90', '10.244.1.1:123456', '10.244.1.1:', '[10.244.1.1]:80'].map((to) =>
      inconclusive(to, packet),
    ),
    ...['[fd00::b-fd00::d]:80', '[fd00::b]:80-90', '[fd00::b', 'x[fd00::b]:80'].map((to) => inconclusive(to, v6)),
    [
      '-j DNAT --to-destination 10.244.1.1-10.244.1.9',
      packet,
      { kind: 'unknown', reason: 'DNAT to 10.244.1.1-10.244.1.9 lets the kernel choose the address or port' },
    ],
    [
      '-j DNAT --to-destination :80',
      packet,
      { kind: 'unknown', reason: 'DNAT to :80 lets the kernel choose the address or port' },
    ],
  ],
  redirect: [
    [
      '-j REDIRECT --to-ports 40001',
      { ...packet, inInterface: '' },
      redirected({ ...packet, inInterface: '' }, '127.0.0.1', 'redirect'),
    ],
    ['-j REDIRECT --to-ports 40001', packet, redirected(packet, '127.0.0.1', 'redirectToInterface')],
    ['-j REDIRECT --to-ports 40001', v6, redirected(v6, '::1', 'redirectToInterface')],
  ],
  unknown: [
    ['-j LOG --log-prefix "x y"', packet, { kind: 'continue', packet }],
    [
      '-j NFQUEUE --queue-num 1',
      packet,
      { kind: 'unknown', reason: 'the effect of -j NFQUEUE --queue-num 1 is unknown' },
    ],
  ],
}

function delivered(from: KernelPacket, destination: string, destinationPort: number): TargetEffect {
  return { kind: 'accept', packet: { ...from, destination, destinationPort, translatedBy: 'dnat' } }
}

function inconclusive(to: string, from: KernelPacket): TargetRow {
  const reason = `DNAT to ${to} lets the kernel choose the address or port`
  return [`-j DNAT --to-destination ${to}`, from, { kind: 'unknown', reason }]
}

function redirected(from: KernelPacket, destination: string, translatedBy: KernelPacket['translatedBy']): TargetEffect {
  return { kind: 'accept', packet: { ...from, destination, destinationPort: 40001, translatedBy } }
}

describe('a target that does not affect the outcome of a packet', () => {
  it.each(
    'AUDIT CHECKSUM CLASSIFY DSCP ECN HL IDLETIMER LED LOG NFLOG RATEEST SECMARK TCPMSS TCPOPTSTRIP TOS TRACE TTL ULOG'.split(
      ' ',
    ),
  )('continues with the next rule: %s', (target) => {
    const ruleTarget = readRule(`-j ${target}`, packet.family).target as Target
    expect(evaluateTarget(ruleTarget, packet)).toEqual({ kind: 'continue', packet })
  })
})

const targetRows = Object.entries(TARGET_ROWS).flatMap(([kind, rows]) =>
  rows.map(([words, at, effect]) => ({ kind, words, at, effect })),
)

describe('the effect of a target', () => {
  it.each(targetRows)('is computed for $words', ({ kind, words, at, effect }) => {
    const target = readRule(words, at.family).target as Target
    expect(target.kind).toBe(kind)
    expect(evaluateTarget(target, at)).toEqual(effect)
  })
})
