import { describe, expect, it } from 'vitest'
import type { Match, Rule, Target } from '../../../src/dataplane/iptables/ast.js'
import { createIptablesResourceOwnership } from '../../../src/targets/shared/iptables-ownership.js'

const ownership = createIptablesResourceOwnership((chain) => chain === 'KUBE-OURS')

const ruleOf = (target: Target | undefined, chain = 'KUBE-OURS', matches: readonly Match[] = []): Rule => ({
  chain,
  matches,
  ...(target && { target }),
})
const item = (rule: Rule) => ({ kind: 'rule', rule }) as const
const jump = (chain: string): Target => ({ kind: 'jump', chain })

it.each([
  ['nat/KUBE-OURS', [true, false, true]],
  ['nat/KUBE-OTHERS', [false, false, true]],
  ['filter/KUBE-FIREWALL', [false, true, false]],
  ['mangle/KUBE-PROXY-CANARY', [false, false, false]],
  ['nat/OUTPUT', [false, false, false]],
])(
  'the ownership of %s is recognized: owned, shared with the kubelet, or only similar',
  (id, [isOwned, isShared, isLookalike]) => {
    expect([ownership.isOwned(id, undefined), ownership.isShared?.(id), ownership.isLookalike?.(id)]).toEqual([
      isOwned,
      isShared,
      isLookalike,
    ])
  },
)

describe('the drift reason of a missing or extra rule', () => {
  it.each([
    [
      'that jumps to an endpoint',
      ruleOf(jump('KUBE-SEP-A')),
      'an endpoint does not get its share of the connections',
      'connections go to an endpoint that should not receive them from this node',
    ],
    [
      'that jumps to a service port',
      ruleOf(jump('KUBE-SVC-A')),
      'packets do not reach the chain of the service port',
      'packets enter the chain of a service port that they should not reach',
    ],
    [
      'that jumps to a service port of an older version',
      ruleOf({ kind: 'goto', chain: 'KUBE-XLB-A' }),
      'packets do not reach the chain of the service port',
      'packets enter the chain of a service port that they should not reach',
    ],
    [
      'that jumps to the mark chain',
      ruleOf(jump('KUBE-MARK-MASQ')),
      'packets that should be masqueraded keep their source address, so replies may bypass the node',
      'packets that should keep their source address are masqueraded',
    ],
    [
      'that sets the masquerade mark',
      ruleOf({ kind: 'mark', operation: 'or', value: 0x4000 }, 'KUBE-MARK-MASQ'),
      'packets that should be masqueraded keep their source address, so replies may bypass the node',
      'packets that should keep their source address are masqueraded',
    ],
    [
      'that sets another mark',
      ruleOf({ kind: 'mark', operation: 'xor', value: 0x4000 }, 'KUBE-POSTROUTING'),
      'a rule is missing',
      'kube-proxy would not write this rule',
    ],
    [
      'that masquerades',
      ruleOf({ kind: 'masquerade', randomFully: false }),
      'packets that should be masqueraded keep their source address, so replies may bypass the node',
      'packets that should keep their source address are masqueraded',
    ],
    [
      'that jumps to another chain',
      ruleOf(jump('KUBE-NODEPORTS')),
      'packets do not enter a chain that they should traverse',
      'packets enter a chain that they should not traverse',
    ],
    [
      'that translates to the address of an endpoint',
      ruleOf({ kind: 'dnat', destination: '10.0.0.1:80' }, 'KUBE-SEP-A'),
      'packets for an endpoint are not translated to its address',
      'packets are translated to a wrong address',
    ],
    [
      'that translates to the address of the process',
      ruleOf({ kind: 'dnat', destination: '10.0.0.1:80' }, 'KUBE-PORTALS-HOST'),
      'packets do not reach the process that accepts the connections of the service port',
      'packets reach a process that should not accept them',
    ],
    [
      'that redirects to the port of the process',
      ruleOf({ kind: 'redirect', port: 40000 }),
      'packets do not reach the process that accepts the connections of the service port',
      'packets reach a process that should not accept them',
    ],
    [
      'that rejects',
      ruleOf({ kind: 'reject' }),
      'packets that should be rejected are not',
      'packets that reach this rule are rejected or dropped',
    ],
    [
      'that drops',
      ruleOf({ kind: 'drop' }),
      'packets that should be rejected are not',
      'packets that reach this rule are rejected or dropped',
    ],
    ['that accepts', ruleOf({ kind: 'accept' }), 'a rule is missing', 'kube-proxy would not write this rule'],
    ['without a target', ruleOf(undefined), 'a rule is missing', 'kube-proxy would not write this rule'],
  ])('describes the effect of a rule %s', (_, rule, missing, extra) => {
    expect(ownership.reasonOf('missing', { expected: item(rule) })).toBe(missing)
    expect(ownership.reasonOf('extra', { found: item(rule) })).toBe(extra)
  })
})

describe('the drift reason of a changed rule', () => {
  const comment = (text: string): Match => ({ kind: 'comment', text })
  const share = (probability: string): Match => ({ kind: 'statistic', probability, negated: false })
  const source = (address: string): Match => ({ kind: 'source', address, negated: false })
  const toEndpoint = (...matches: readonly Match[]) => ruleOf(jump('KUBE-SEP-A'), 'KUBE-SVC-A', matches)
  const leading = (target: Target | undefined) => ruleOf(target, 'KUBE-SVC-A')

  it.each([
    ['only the comment differs', toEndpoint(comment('a')), toEndpoint(comment('b'))],
    ['only the comment differs', toEndpoint(comment('a')), toEndpoint()],
    ['the share is 0.25 instead of 0.5', toEndpoint(share('0.5')), toEndpoint(share('0.25'))],
    ['the share is everything instead of 0.5', toEndpoint(share('0.5')), toEndpoint()],
    ['the share is 0.5 instead of everything', toEndpoint(), toEndpoint(share('0.5'))],
    [
      'the rule matches the wrong packets; an endpoint does not get its share of the connections',
      toEndpoint(source('10.0.0.1')),
      toEndpoint(source('10.0.0.2')),
    ],
    [
      'the rule matches the wrong packets; an endpoint does not get its share of the connections',
      toEndpoint(comment('a'), share('0.5')),
      toEndpoint(comment('b'), share('0.25')),
    ],
    ['packets go to KUBE-SEP-B instead of KUBE-SEP-A', leading(jump('KUBE-SEP-A')), leading(jump('KUBE-SEP-B'))],
    [
      'packets go to KUBE-SVC-B instead of the next rule',
      leading(undefined),
      leading({ kind: 'goto', chain: 'KUBE-SVC-B' }),
    ],
    [
      'packets go to 10.0.0.2:80 instead of 10.0.0.1:80',
      leading({ kind: 'dnat', destination: '10.0.0.1:80' }),
      leading({ kind: 'dnat', destination: '10.0.0.2:80' }),
    ],
    [
      'packets go to port 40001 of the node instead of port 40000 of the node',
      leading({ kind: 'redirect', port: 40000 }),
      leading({ kind: 'redirect', port: 40001 }),
    ],
    [
      'the target is MARK --or-mark 0x8000 instead of MARK --or-mark 0x4000',
      leading({ kind: 'mark', operation: 'or', value: 0x4000 }),
      leading({ kind: 'mark', operation: 'or', value: 0x8000 }),
    ],
    [
      'the target is MASQUERADE instead of MASQUERADE --random-fully',
      leading({ kind: 'masquerade', randomFully: true }),
      leading({ kind: 'masquerade', randomFully: false }),
    ],
    [
      'packets go to TPROXY --on-port 1 instead of DROP',
      leading({ kind: 'drop' }),
      leading({ kind: 'unknown', words: ['-j', 'TPROXY', '--on-port', '1'] }),
    ],
  ])('describes this change: %s', (reason, expected, found) => {
    expect(ownership.reasonOf('changed', { expected: item(expected), found: item(found) })).toBe(reason)
  })
})

describe('the drift reason of a chain or a misplaced rule', () => {
  const chain = (name: string, holder?: string) => ({ kind: 'chain', chain: name, holder }) as const

  it.each([
    ['missing', { expected: chain('KUBE-A') }, 'the chain is missing with all its rules'],
    ['extra', { found: chain('KUBE-A') }, 'kube-proxy would have removed this chain'],
    [
      'extra',
      { found: chain('KUBE-A', 'CNI') },
      'kube-proxy would have removed this chain; it cannot be deleted, because CNI references it',
    ],
    [
      'misplaced',
      { expected: item(ruleOf({ kind: 'drop' })), found: chain('KUBE-B') },
      'the rule exists, but in KUBE-B, where another version of kube-proxy may write it',
    ],
    [
      'misplaced',
      { expected: item(ruleOf({ kind: 'drop' })), found: item(ruleOf({ kind: 'drop' })) },
      'the rule exists at a wrong position, so rules are evaluated in the wrong order',
    ],
  ] as const)('is correct for a chain or rule that is %s: %j', (kind, items, reason) => {
    expect(ownership.reasonOf(kind, items)).toBe(reason)
  })
})
