import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { Match, Rule } from '../../../../src/dataplane/iptables/ast.js'
import { createRuleArguments, type RuleOperation } from '../../../../src/dataplane/iptables/print/arguments.js'

const JUMP: Rule = {
  chain: 'INPUT',
  matches: [
    { kind: 'conntrack', states: ['NEW'], negated: false },
    { kind: 'comment', text: 'kubernetes load balancer firewall' },
  ],
  target: { kind: 'jump', chain: 'KUBE-PROXY-FIREWALL' },
}

describe('createRuleArguments', () => {
  it.each<RuleOperation>(['-A', '-C', '-D', '-I'])(
    'returns arguments for %s, and passes a comment as a single argument without quotes',
    (command) => {
      expect(createRuleArguments(command, JUMP, 'filter', 'IPv4')).toEqual([
        ...['-w', '5', '-t', 'filter', command, 'INPUT', '-m', 'conntrack', '--ctstate', 'NEW'],
        ...['-m', 'comment', '--comment', 'kubernetes load balancer firewall', '-j', 'KUBE-PROXY-FIREWALL'],
      ])
    },
  )

  it('returns exactly the words of the rule', () => {
    const rule: Rule = { chain: 'OUTPUT', matches: [], target: { kind: 'jump', chain: 'KUBE-FIREWALL' } }
    expect(createRuleArguments('-D', rule, 'filter', 'IPv4')).toEqual([
      ...['-w', '5', '-t', 'filter', '-D', 'OUTPUT', '-j', 'KUBE-FIREWALL'],
    ])
    expect(createRuleArguments('-A', { chain: 'OUTPUT', matches: [] }, 'nat', 'IPv4')).toEqual([
      ...['-w', '5', '-t', 'nat', '-A', 'OUTPUT'],
    ])
  })

  it.each<[IpFamily, string]>([
    ['IPv4', '10.96.0.1'],
    ['IPv6', 'fd00:96::1'],
  ])('prints an %s address in the same form as kube-proxy', (family, address) => {
    const rule: Rule = { chain: 'OUTPUT', matches: [{ kind: 'destination', address, negated: true }] }
    expect(createRuleArguments('-C', rule, 'nat', family).slice(6)).toEqual(['!', '-d', address])
  })

  it.each(['say "hello"', 'back\\slash', "it's; rm -rf / $(x)", '-j ACCEPT', 'a'])(
    'does not change the comment %j',
    (text) => {
      const comment: Match = { kind: 'comment', text }
      expect(createRuleArguments('-A', { chain: 'A', matches: [comment] }, 'nat', 'IPv4').slice(6)).toEqual([
        '-m',
        'comment',
        '--comment',
        text,
      ])
    },
  )

  it.each(['A -j ACCEPT', 'A\n-F', ''])('rejects the chain name %j', (chain) => {
    expect(() => createRuleArguments('-A', { chain, matches: [] }, 'nat', 'IPv4')).toThrow('bug')
  })
})
