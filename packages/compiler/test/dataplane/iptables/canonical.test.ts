import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { Match, Rule } from '../../../src/dataplane/iptables/ast.js'
import { canonicalizeRule } from '../../../src/dataplane/iptables/canonical.js'
import { printRule } from '../../../src/dataplane/iptables/print/print.js'
import {
  COMMON_VECTORS,
  IPV4_VECTORS,
  IPV6_VECTORS,
  KEPT_COMMON,
  KEPT_IPV4,
  KEPT_IPV6,
  type Vector,
} from './canon-vectors.js'
import { readRule } from './read-rule.js'

function save(text: string, family: IpFamily): string {
  return printRule(readRule(text, family), 'save', family).replace(/^-A T ?/, '')
}

const VECTORS: readonly (readonly [IpFamily, readonly Vector[]])[] = [
  ['IPv4', [...COMMON_VECTORS, ...IPV4_VECTORS]],
  ['IPv6', [...COMMON_VECTORS, ...IPV6_VECTORS]],
]

describe.each(VECTORS)('the iptables-save format for %s rules', (family, vectors) => {
  it.each(vectors)('prints %s as %s', (written, saved) => {
    expect(save(written, family)).toBe(saved)
  })

  it.each(vectors)('prints %s in the same form if the printed rule is saved again', (_written, saved) => {
    expect(save(saved, family)).toBe(saved)
  })
})

describe.each([
  ['IPv4', [...KEPT_COMMON, ...KEPT_IPV4]],
  ['IPv6', [...KEPT_COMMON, ...KEPT_IPV6]],
] as const)('an %s rule with unknown options', (family, rules) => {
  it.each(rules)('keeps the options unchanged in the save format: %s', (text) => {
    expect(save(text, family)).toBe(text)
    expect(readRule(text, family).matches.some((match) => match.kind === 'unknown')).toBe(true)
  })
})

describe('canonicalizeRule', () => {
  it('moves all ports to the transport module, at the position of the first port', () => {
    const rule = readRule('-p tcp -m comment --comment a -m tcp -m comment --comment b --dport 80 --sport 1', 'IPv4')
    expect(canonicalizeRule(rule, 'IPv4').matches.map((match) => match.kind)).toEqual([
      'protocol',
      'comment',
      'transport',
      'sourcePort',
      'destinationPort',
      'comment',
    ])
  })

  it('moves an explicit transport module before an earlier port', () => {
    expect(save('-p tcp --dport 80 -m comment --comment a -m tcp', 'IPv4')).toBe(
      '-p tcp -m tcp --dport 80 -m comment --comment a',
    )
  })

  it('keeps an explicit transport module if nothing else defines the protocol', () => {
    const port: Match = { kind: 'destinationPort', first: 1, last: 2, negated: false }
    const matches: readonly Match[] = [{ kind: 'transport', protocol: 'tcp' }, port]
    expect(canonicalizeRule({ chain: 'T', matches }, 'IPv4').matches).toEqual(matches)
  })

  it('does not move ports if the protocol is unknown', () => {
    const port: Match = { kind: 'destinationPort', first: 1, last: 2, negated: false }
    const negated: Match = { kind: 'protocol', protocol: 'tcp', negated: true }
    const other: Match = { kind: 'protocol', protocol: 'icmp', negated: false }
    for (const matches of [[port], [negated, port], [other, port]]) {
      expect(canonicalizeRule({ chain: 'T', matches }, 'IPv4').matches).toEqual(matches)
    }
  })

  it('joins unknown options that become adjacent when the header moves', () => {
    const rule: Rule = {
      chain: 'T',
      matches: [
        { kind: 'unknown', words: ['-m', 'multiport'] },
        { kind: 'protocol', protocol: '6', negated: false },
        { kind: 'unknown', words: ['--dports', '80,443'] },
      ],
    }
    expect(canonicalizeRule(rule, 'IPv4')).toEqual({
      chain: 'T',
      matches: [
        { kind: 'protocol', protocol: 'tcp', negated: false },
        { kind: 'unknown', words: ['-m', 'multiport', '--dports', '80,443'] },
      ],
    })
  })

  it('keeps a negated match that no packet matches', () => {
    expect(save('! -i +', 'IPv4')).toBe('! -i +')
    expect(save('! -p all', 'IPv4')).toBe('! -p 0')
    expect(save('! -s 0.0.0.0/0', 'IPv4')).toBe('! -s 0.0.0.0/0')
  })

  it('truncates a comment before the character that exceeds 255 bytes', () => {
    const rule: Rule = { chain: 'T', matches: [{ kind: 'comment', text: `${'x'.repeat(254)}é` }] }
    expect(canonicalizeRule(rule, 'IPv4').matches).toEqual([{ kind: 'comment', text: 'x'.repeat(254) }])
  })

  it('rounds a probability halfway between two decimals to the even decimal, like iptables', () => {
    expect(save('-m statistic --mode random --probability 0.0002441406', 'IPv4')).toBe(
      '-m statistic --mode random --probability 0.00024414062',
    )
    expect(save('-m statistic --mode random --probability 0.0007324219', 'IPv4')).toBe(
      '-m statistic --mode random --probability 0.00073242188',
    )
  })

  it('expands the short reject type names of each family', () => {
    expect(save('-j REJECT --reject-with adm-prohibited', 'IPv6')).toBe('-j REJECT --reject-with icmp6-adm-prohibited')
    expect(save('-j REJECT --reject-with host-prohib', 'IPv4')).toBe('-j REJECT --reject-with icmp-host-prohibited')
  })

  it('keeps unknown words in lists that are sorted', () => {
    const matches: readonly Match[] = [
      { kind: 'conntrack', states: ['LATER', 'NEW', 'INVALID'], negated: false },
      { kind: 'ipvs', address: '10.0.0.1', protocol: 'later', port: 1 },
      { kind: 'protocol', protocol: 'later', negated: false },
    ]
    expect(canonicalizeRule({ chain: 'T', matches }, 'IPv4').matches).toEqual([
      { kind: 'protocol', protocol: 'later', negated: false },
      { kind: 'conntrack', states: ['INVALID', 'NEW', 'LATER'], negated: false },
      { kind: 'ipvs', address: '10.0.0.1', protocol: 'later', port: 1 },
    ])
  })

  it('does not change its input', () => {
    const rule = readRule('-p tcp --dport 80 --sport 1 -j REJECT', 'IPv4')
    const before = structuredClone(rule)
    canonicalizeRule(rule, 'IPv4')
    expect(rule).toEqual(before)
  })
})
