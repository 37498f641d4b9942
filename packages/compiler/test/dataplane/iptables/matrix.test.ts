import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { Match, MatchKind, Target, TargetKind } from '../../../src/dataplane/iptables/ast.js'
import { MATCH_PRINTERS } from '../../../src/dataplane/iptables/matches/matches.js'
import { printRule } from '../../../src/dataplane/iptables/print/print.js'
import type { RuleFormat } from '../../../src/dataplane/iptables/print/rule-format.js'
import { TARGET_PRINTERS } from '../../../src/dataplane/iptables/targets/targets.js'
import { readRule } from './read-rule.js'

interface Case<T> {
  readonly tree: T
  readonly restore: string
  readonly save: string
  readonly family?: IpFamily
  /** The tree after parsing the save format, if it differs. */
  readonly savedTree?: T
}

interface MatchCases {
  readonly plain: Case<Match>
  readonly negated: Case<Match> | 'cannot be negated'
}

const MATCH_CASES: Readonly<Record<MatchKind, MatchCases>> = {
  source: {
    plain: {
      tree: { kind: 'source', address: '10.0.0.1', negated: false },
      restore: '-s 10.0.0.1',
      save: '-s 10.0.0.1/32',
      savedTree: { kind: 'source', address: '10.0.0.1/32', negated: false },
    },
    negated: {
      tree: { kind: 'source', address: 'fd00::/64', negated: true },
      restore: '! -s fd00::/64',
      save: '! -s fd00::/64',
      family: 'IPv6',
    },
  },
  destination: {
    plain: {
      tree: { kind: 'destination', address: 'fd00::a', negated: false },
      restore: '-d fd00::a',
      save: '-d fd00::a/128',
      savedTree: { kind: 'destination', address: 'fd00::a/128', negated: false },
      family: 'IPv6',
    },
    negated: {
      tree: { kind: 'destination', address: '127.0.0.0/8', negated: true },
      restore: '! -d 127.0.0.0/8',
      save: '! -d 127.0.0.0/8',
    },
  },
  inInterface: {
    plain: { tree: { kind: 'inInterface', name: 'cni+', negated: false }, restore: '-i cni+', save: '-i cni+' },
    negated: { tree: { kind: 'inInterface', name: 'cni0', negated: true }, restore: '! -i cni0', save: '! -i cni0' },
  },
  outInterface: {
    plain: { tree: { kind: 'outInterface', name: 'eth0', negated: false }, restore: '-o eth0', save: '-o eth0' },
    negated: { tree: { kind: 'outInterface', name: 'eth0', negated: true }, restore: '! -o eth0', save: '! -o eth0' },
  },
  protocol: {
    plain: {
      tree: { kind: 'protocol', protocol: '132', negated: false },
      restore: '-p 132',
      save: '-p sctp',
      savedTree: { kind: 'protocol', protocol: 'sctp', negated: false },
    },
    negated: { tree: { kind: 'protocol', protocol: 'tcp', negated: true }, restore: '! -p tcp', save: '! -p tcp' },
  },
  transport: {
    plain: { tree: { kind: 'transport', protocol: 'udp' }, restore: '-m udp', save: '-m udp' },
    negated: 'cannot be negated',
  },
  sourcePort: {
    plain: {
      tree: { kind: 'sourcePort', first: 0, last: 1023, negated: false },
      restore: '--sport 0:1023',
      save: '--sport 0:1023',
    },
    negated: {
      tree: { kind: 'sourcePort', first: 80, last: 80, negated: true },
      restore: '! --sport 80',
      save: '! --sport 80',
    },
  },
  destinationPort: {
    plain: {
      tree: { kind: 'destinationPort', first: 80, last: 80, negated: false },
      restore: '--dport 80',
      save: '--dport 80',
    },
    negated: {
      tree: { kind: 'destinationPort', first: 1024, last: 65535, negated: true },
      restore: '! --dport 1024:65535',
      save: '! --dport 1024:65535',
    },
  },
  comment: {
    plain: {
      tree: { kind: 'comment', text: 'ns1/svc1:p80' },
      restore: '-m comment --comment ns1/svc1:p80',
      save: '-m comment --comment "ns1/svc1:p80"',
    },
    negated: 'cannot be negated',
  },
  mark: {
    plain: {
      tree: { kind: 'mark', value: 0x4000, mask: 0x4000, negated: false },
      restore: '-m mark --mark 0x00004000/0x00004000',
      save: '-m mark --mark 0x4000/0x4000',
    },
    negated: {
      tree: { kind: 'mark', value: 0x80000000, mask: 0xffffffff, negated: true },
      restore: '-m mark ! --mark 0x80000000/0xffffffff',
      save: '-m mark ! --mark 0x80000000',
    },
  },
  conntrack: {
    plain: {
      tree: { kind: 'conntrack', states: ['NEW'], negated: false },
      restore: '-m conntrack --ctstate NEW',
      save: '-m conntrack --ctstate NEW',
    },
    negated: {
      tree: { kind: 'conntrack', states: ['ESTABLISHED', 'RELATED'], negated: true },
      restore: '-m conntrack ! --ctstate ESTABLISHED,RELATED',
      save: '-m conntrack ! --ctstate RELATED,ESTABLISHED',
      savedTree: { kind: 'conntrack', states: ['RELATED', 'ESTABLISHED'], negated: true },
    },
  },
  state: {
    plain: {
      tree: { kind: 'state', states: ['NEW'], negated: false },
      restore: '-m state --state NEW',
      save: '-m state --state NEW',
    },
    negated: {
      tree: { kind: 'state', states: ['ESTABLISHED', 'RELATED'], negated: true },
      restore: '-m state ! --state ESTABLISHED,RELATED',
      save: '-m state ! --state RELATED,ESTABLISHED',
      savedTree: { kind: 'state', states: ['RELATED', 'ESTABLISHED'], negated: true },
    },
  },
  addrtype: {
    plain: {
      tree: { kind: 'addrtype', side: 'destination', type: 'LOCAL', negated: false },
      restore: '-m addrtype --dst-type LOCAL',
      save: '-m addrtype --dst-type LOCAL',
    },
    negated: {
      tree: { kind: 'addrtype', side: 'source', type: 'LOCAL,UNICAST', negated: true },
      restore: '-m addrtype ! --src-type LOCAL,UNICAST',
      save: '-m addrtype ! --src-type UNICAST,LOCAL',
      savedTree: { kind: 'addrtype', side: 'source', type: 'UNICAST,LOCAL', negated: true },
    },
  },
  statistic: {
    plain: {
      tree: { kind: 'statistic', probability: '0.3333333333', negated: false },
      restore: '-m statistic --mode random --probability 0.3333333333',
      save: '-m statistic --mode random --probability 0.33333333349',
      savedTree: { kind: 'statistic', probability: '0.33333333349', negated: false },
    },
    negated: {
      tree: { kind: 'statistic', probability: '0.5000000000', negated: true },
      restore: '-m statistic --mode random ! --probability 0.5000000000',
      save: '-m statistic --mode random ! --probability 0.50000000000',
      savedTree: { kind: 'statistic', probability: '0.50000000000', negated: true },
    },
  },
  recent: {
    plain: {
      tree: { kind: 'recent', name: 'SEP', action: 'rcheck', seconds: 10800, reap: true, negated: false },
      restore: '-m recent --name SEP --rcheck --seconds 10800 --reap',
      save: '-m recent --rcheck --seconds 10800 --reap --name SEP --mask 255.255.255.255 --rsource',
    },
    negated: {
      tree: { kind: 'recent', name: 'SEP', action: 'set', reap: false, negated: true },
      restore: '-m recent --name SEP ! --set',
      save: '-m recent ! --set --name SEP --mask ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff --rsource',
      family: 'IPv6',
    },
  },
  nfacct: {
    plain: {
      tree: { kind: 'nfacct', name: 'ct_state_invalid_dropped_pkts' },
      restore: '-m nfacct --nfacct-name ct_state_invalid_dropped_pkts',
      save: '-m nfacct --nfacct-name  ct_state_invalid_dropped_pkts',
    },
    negated: 'cannot be negated',
  },
  set: {
    plain: {
      tree: { kind: 'set', name: 'KUBE-CLUSTER-IP', directions: ['dst', 'dst'], negated: false },
      restore: '-m set --match-set KUBE-CLUSTER-IP dst,dst',
      save: '-m set --match-set KUBE-CLUSTER-IP dst,dst',
    },
    negated: {
      tree: { kind: 'set', name: 'FOO', directions: ['dst', 'dst', 'src'], negated: true },
      restore: '-m set ! --match-set FOO dst,dst,src',
      save: '-m set ! --match-set FOO dst,dst,src',
    },
  },
  physdev: {
    plain: {
      tree: { kind: 'physdev', is: 'bridged', negated: false },
      restore: '-m physdev --physdev-is-bridged',
      save: '-m physdev --physdev-is-bridged',
    },
    negated: {
      tree: { kind: 'physdev', is: 'in', negated: true },
      restore: '-m physdev ! --physdev-is-in',
      save: '-m physdev ! --physdev-is-in',
    },
  },
  ipvs: {
    plain: {
      tree: { kind: 'ipvs', address: '203.0.113.12', protocol: 'tcp', port: 80 },
      restore: '-m ipvs --vaddr 203.0.113.12 --vproto tcp --vport 80',
      save: '-m ipvs --vproto 6 --vaddr 203.0.113.12 --vport 80',
      savedTree: { kind: 'ipvs', address: '203.0.113.12', protocol: '6', port: 80 },
    },
    negated: 'cannot be negated',
  },
  unknown: {
    plain: {
      tree: { kind: 'unknown', words: ['-m', 'string', '--string', '"a \\" b"', '--algo', 'bm'] },
      restore: '-m string --string "a \\" b" --algo bm',
      save: '-m string --string "a \\" b" --algo bm',
    },
    negated: {
      tree: { kind: 'unknown', words: ['-m', 'limit', '!', '--limit', '5/min'] },
      restore: '-m limit ! --limit 5/min',
      save: '-m limit ! --limit 5/min',
    },
  },
}

const TARGET_CASES: Readonly<Record<TargetKind, readonly Case<Target>[]>> = {
  accept: [{ tree: { kind: 'accept' }, restore: '-j ACCEPT', save: '-j ACCEPT' }],
  drop: [{ tree: { kind: 'drop' }, restore: '-j DROP', save: '-j DROP' }],
  return: [{ tree: { kind: 'return' }, restore: '-j RETURN', save: '-j RETURN' }],
  reject: [
    {
      tree: { kind: 'reject' },
      restore: '-j REJECT',
      save: '-j REJECT --reject-with icmp-port-unreachable',
      savedTree: { kind: 'reject', with: 'icmp-port-unreachable' },
    },
    {
      tree: { kind: 'reject' },
      restore: '-j REJECT',
      save: '-j REJECT --reject-with icmp6-port-unreachable',
      savedTree: { kind: 'reject', with: 'icmp6-port-unreachable' },
      family: 'IPv6',
    },
    {
      tree: { kind: 'reject', with: 'tcp-reset' },
      restore: '-j REJECT --reject-with tcp-reset',
      save: '-j REJECT --reject-with tcp-reset',
    },
  ],
  jump: [{ tree: { kind: 'jump', chain: 'KUBE-TARGET' }, restore: '-j KUBE-TARGET', save: '-j KUBE-TARGET' }],
  goto: [{ tree: { kind: 'goto', chain: 'KUBE-TARGET' }, restore: '-g KUBE-TARGET', save: '-g KUBE-TARGET' }],
  mark: [
    {
      tree: { kind: 'mark', operation: 'or', value: 0x4000 },
      restore: '-j MARK --or-mark 0x00004000',
      save: '-j MARK --set-xmark 0x4000/0x4000',
      savedTree: { kind: 'mark', operation: 'set-xmark', value: 0x4000, mask: 0x4000 },
    },
    {
      tree: { kind: 'mark', operation: 'xor', value: 0x80000000 },
      restore: '-j MARK --xor-mark 0x80000000',
      save: '-j MARK --set-xmark 0x80000000/0x0',
      savedTree: { kind: 'mark', operation: 'set-xmark', value: 0x80000000, mask: 0 },
    },
    {
      tree: { kind: 'mark', operation: 'set-xmark', value: 1, mask: 0xffffffff },
      restore: '-j MARK --set-xmark 0x00000001/0xffffffff',
      save: '-j MARK --set-xmark 0x1/0xffffffff',
    },
  ],
  masquerade: [
    { tree: { kind: 'masquerade', randomFully: false }, restore: '-j MASQUERADE', save: '-j MASQUERADE' },
    {
      tree: { kind: 'masquerade', randomFully: true },
      restore: '-j MASQUERADE --random-fully',
      save: '-j MASQUERADE --random-fully',
    },
  ],
  dnat: [
    {
      tree: { kind: 'dnat', destination: '10.180.0.1:80' },
      restore: '-j DNAT --to-destination 10.180.0.1:80',
      save: '-j DNAT --to-destination 10.180.0.1:80',
    },
    {
      tree: { kind: 'dnat', destination: '[fd00::b]:8080' },
      restore: '-j DNAT --to-destination [fd00::b]:8080',
      save: '-j DNAT --to-destination [fd00::b]:8080',
      family: 'IPv6',
    },
  ],
  redirect: [
    {
      tree: { kind: 'redirect', port: 40001 },
      restore: '-j REDIRECT --to-ports 40001',
      save: '-j REDIRECT --to-ports 40001',
    },
  ],
  unknown: [
    {
      tree: { kind: 'unknown', words: ['-j', 'REDIRECT', '--to-ports', '40001-40009'] },
      restore: '-j REDIRECT --to-ports 40001-40009',
      save: '-j REDIRECT --to-ports 40001-40009',
    },
    {
      tree: { kind: 'unknown', words: ['-j', 'LOG', '--log-prefix', '"x y"'] },
      restore: '-j LOG --log-prefix "x y"',
      save: '-j LOG --log-prefix "x y"',
    },
  ],
}

const matchRows = Object.entries(MATCH_CASES).flatMap(([kind, { plain, negated }]) =>
  negated === 'cannot be negated'
    ? [{ kind, ...plain }]
    : [
        { kind, ...plain },
        { kind: `${kind}, negated`, ...negated },
      ],
)

const targetRows = Object.entries(TARGET_CASES).flatMap(([kind, cases]) => cases.map((one) => ({ kind, ...one })))

/** Returns the transport module that ports require. */
function before(tree: Match): string {
  return tree.kind === 'sourcePort' || tree.kind === 'destinationPort' ? '-m tcp ' : ''
}

describe('the cases of matches', () => {
  it('include every kind of match', () => {
    expect(Object.keys(MATCH_CASES).sort()).toEqual(Object.keys(MATCH_PRINTERS).sort())
  })

  describe.each(matchRows)('the match $kind', ({ tree, family = 'IPv4', savedTree = tree, ...texts }) => {
    it.each(['restore', 'save'] as const)('is printed in the %s format', (style: RuleFormat) => {
      expect(printRule({ chain: 'T', matches: [tree] }, style, family)).toBe(`-A T ${texts[style]}`)
    })

    it('is parsed from both formats', () => {
      expect(readRule(before(tree) + texts.restore, family).matches.at(-1)).toEqual(tree)
      expect(readRule(before(tree) + texts.save, family).matches.at(-1)).toEqual(savedTree)
    })
  })

  it.each(Object.entries(MATCH_CASES).filter(([, { negated }]) => negated === 'cannot be negated'))(
    'the match %s is unknown if it is negated',
    (_kind, { plain }) => {
      expect(readRule(`! ${plain.restore}`).matches[0]?.kind).toBe('unknown')
    },
  )
})

describe('the cases of targets', () => {
  it('include every kind of target', () => {
    expect(Object.keys(TARGET_CASES).sort()).toEqual(Object.keys(TARGET_PRINTERS).sort())
  })

  describe.each(targetRows)('the target $kind: $restore', ({ tree, family = 'IPv4', savedTree = tree, ...texts }) => {
    it.each(['restore', 'save'] as const)('is printed in the %s format', (style: RuleFormat) => {
      expect(printRule({ chain: 'T', matches: [], target: tree }, style, family)).toBe(`-A T ${texts[style]}`)
    })

    it('is parsed from both formats', () => {
      expect(readRule(texts.restore, family).target).toEqual(tree)
      expect(readRule(texts.save, family).target).toEqual(savedTree)
    })
  })
})
