import { describe, expect, it } from 'vitest'
import { createCoverageQueries } from '../../../../../compiler/src/dataplane/netfilter/coverage.js'
import type { EvaluationContext } from '../../../../../compiler/src/dataplane/netfilter/evaluation-context.js'
import type { Hook } from '../../../../../compiler/src/dataplane/netfilter/hooks.js'
import { readRule, readState } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { facts, kernelPacket } from '../../../../../compiler/test/support/passages.js'
import {
  createIptablesHookHandlers,
  createRuleStepFactory,
  destinationsOfRules,
} from '../../../../src/dataplane/iptables/evaluate/evaluate.js'
import { TOO_MANY_PATHS } from '../../../../src/dataplane/netfilter/chain-result.js'
import { MISSING_CONTENT_CONDITION } from '../../../../src/dataplane/netfilter/missing.js'
import { type PathState, type PathStep, stepsOf } from '../../../../src/dataplane/netfilter/path-state.js'
import { branch } from '../../netfilter/branches.js'

function hookHandlers(table: string, lines: readonly string[], known: EvaluationContext = facts()) {
  return createIptablesHookHandlers(readState([`*${table}`, ...lines, 'COMMIT', ''].join('\n')), known)
}

/** Returns the departures of a packet at a hook, and the matching rules. */
function visit(lines: readonly string[], path: PathState = branch(), table = 'filter', hook: Hook = 'INPUT') {
  const hookHandler = hookHandlers(table, lines).find((each) => each.hook === hook)
  const paths = hookHandler?.visit(path) ?? []
  return paths.map((result) => [result.verdict, ...stepsOf(result).map(({ chain, target }) => `${chain} ${target}`)])
}

it('a table handles packets at the hooks of its chains, in hook order', () => {
  const placesOf = (table: string) => hookHandlers(table, []).map(({ hook, priority }) => `${hook} ${priority}`)
  expect(placesOf('filter')).toEqual(['INPUT 0', 'FORWARD 0', 'OUTPUT 0'])
  expect(placesOf('nat')).toEqual(['PREROUTING -100', 'INPUT 100', 'OUTPUT -100', 'POSTROUTING 100'])
})

const next = { kind: 'next' }
const dropped = { kind: 'dropped' }
const unknown = (reason: string) => ({ kind: 'unknown', reason })
const CHAINS = [':A - [0:0]', ':B - [0:0]']

describe('a packet in a chain', () => {
  it.each<[string, readonly string[], readonly unknown[]]>([
    ['continues after the chain if the chain has no rules', [], [next]],
    ['continues after the chain if the policy is ACCEPT', [':INPUT ACCEPT [0:0]', ':OUTPUT DROP [0:0]'], [next]],
    ['is dropped by the policy of the chain', [':INPUT DROP [0:0]'], [dropped, 'INPUT DROP']],
    ['is dropped by the first rule that matches', ['-A INPUT -j DROP', '-A INPUT -j ACCEPT'], [dropped, 'INPUT DROP']],
    [
      'is accepted by a rule before the policy applies',
      [':INPUT DROP [0:0]', '-A INPUT -j ACCEPT', '-A INPUT -j DROP'],
      [next, 'INPUT ACCEPT'],
    ],
    ['continues after the chain if no rule matches', ['-A INPUT -p udp -j DROP'], [next]],
    [
      'is rejected with the type of the rule',
      ['-A INPUT -p tcp -j REJECT --reject-with tcp-reset'],
      [{ kind: 'rejected', with: 'tcp-reset' }, 'INPUT REJECT --reject-with tcp-reset'],
    ],
    [
      'continues with the next rule after a rule without a target',
      ['-A INPUT -p tcp', '-A INPUT -j DROP'],
      [dropped, 'INPUT ', 'INPUT DROP'],
    ],
    [
      'is matched by the mark that an earlier rule set',
      ['-A INPUT -j MARK --or-mark 0x1', '-A INPUT -m mark --mark 0x1/0x1 -j DROP'],
      [dropped, 'INPUT MARK --set-xmark 0x1/0x1', 'INPUT DROP'],
    ],
    [
      'reaches the policy of a built-in chain after RETURN',
      [':INPUT DROP [0:0]', '-A INPUT -j RETURN', '-A INPUT -j ACCEPT'],
      [dropped, 'INPUT RETURN', 'INPUT DROP'],
    ],
    [
      'continues in the calling chain after the end of the called chain',
      [...CHAINS, '-A INPUT -j A', '-A INPUT -j DROP', '-A A -j MARK --or-mark 0x1'],
      [dropped, 'INPUT A', 'A MARK --set-xmark 0x1/0x1', 'INPUT DROP'],
    ],
    [
      'continues in the calling chain after RETURN',
      [...CHAINS, '-A INPUT -j A', '-A INPUT -j DROP', '-A A -j RETURN', '-A A -j ACCEPT'],
      [dropped, 'INPUT A', 'A RETURN', 'INPUT DROP'],
    ],
    [
      'does not return to the chain with the goto rule',
      [...CHAINS, '-A INPUT -j A', '-A INPUT -j ACCEPT', '-A A -g B', '-A A -j DROP'],
      [next, 'INPUT A', 'A B', 'INPUT ACCEPT'],
    ],
    [
      'is dropped by a rule of another chain',
      [...CHAINS, '-A INPUT -j A', '-A A -j DROP'],
      [dropped, 'INPUT A', 'A DROP'],
    ],
    [
      'has an unknown outcome if the effect of a target is unknown',
      ['-A INPUT -j NFQUEUE'],
      [unknown('the effect of -j NFQUEUE is unknown'), 'INPUT NFQUEUE'],
    ],
    [
      'has an unknown outcome if a rule references a missing chain',
      [...CHAINS, '-A INPUT -j A', '-A A -g GONE'],
      [unknown('chain GONE does not exist'), 'INPUT A', 'A GONE'],
    ],
  ])('%s', (_, lines, path) => {
    expect(visit(lines)).toEqual([path])
  })

  it('takes both paths at a statistic match', () => {
    const [taken, passed] = visit(['-A INPUT -m statistic --mode random --probability 0.5 -j DROP'])
    expect([taken?.[0], passed]).toEqual([dropped, [next]])
  })

  it('takes both paths at an unknown match, and records the rule as the condition', () => {
    const hookHandler = hookHandlers('filter', ['-A INPUT -m other --x -j DROP']).find(({ hook }) => hook === 'INPUT')
    const paths = hookHandler?.visit(branch()) ?? []
    const condition = 'iptables filter -A INPUT -m other --x -j DROP matches'
    expect(paths.map(({ assumptions, verdict }) => [assumptions, verdict])).toEqual([
      [[{ condition, value: true }], dropped],
      [[{ condition, value: false }], next],
    ])
  })

  it('has an unknown outcome if too many rules match', () => {
    const rules = ['-A INPUT -p tcp', '-A INPUT -p tcp', '-A INPUT -j DROP']
    const budget = (count: number) => branch({ budget: { rules: count, forks: 0, choices: 0 } })
    expect(visit(rules, budget(3))[0]?.[0]).toEqual(dropped)
    expect(visit(rules, budget(2))).toEqual([[unknown(TOO_MANY_PATHS), 'INPUT ', 'INPUT ']])
  })
})

describe('a NAT chain', () => {
  const rules = ['-A PREROUTING -p tcp -j DNAT --to-destination 10.244.1.1:8080', '-A INPUT -j DROP']

  it('decides the destination of a connection', () => {
    const hookHandler = hookHandlers('nat', rules).find(({ hook }) => hook === 'PREROUTING')
    const [result] = hookHandler?.visit(branch()) ?? []
    expect(result?.packet).toMatchObject({
      destination: '10.244.1.1',
      destinationPort: 8080,
      translatedBy: 'dnat',
      destinationDecided: 'yes',
    })
  })

  it('is skipped at PREROUTING if the destination is already decided', () => {
    const decided = branch({ packet: kernelPacket({ destinationDecided: 'yes' }) })
    expect(visit(rules, decided, 'nat', 'PREROUTING')).toEqual([[next]])
    expect(visit(rules, decided, 'nat', 'INPUT')).toEqual([[dropped, 'INPUT DROP']])
  })
})

describe('a packet in a partial dump', () => {
  const lines = [':A - [0:0]', '-A INPUT -j A', '-A INPUT -j DROP', '-A A -j ACCEPT']

  it.each<[readonly string[], string, readonly unknown[]]>([
    [['filter'], 'filter', [[next, []]]],
    [
      ['filter/INPUT'],
      'filter',
      [
        [next, [`${MISSING_CONTENT_CONDITION}: true`]],
        [unknown('not all of chain filter/A is in the dump'), [`${MISSING_CONTENT_CONDITION}: false`]],
      ],
    ],
    [
      ['filter/A'],
      'filter',
      [
        [next, [`${MISSING_CONTENT_CONDITION}: true`]],
        [unknown('not all of chain filter/INPUT is in the dump'), [`${MISSING_CONTENT_CONDITION}: false`]],
      ],
    ],
  ])('takes the expected paths if the complete parts of the dump are %j', (complete, table, expected) => {
    const known = facts({ coverage: createCoverageQueries({ complete }) })
    const hookHandler = hookHandlers(table, lines, known).find(({ hook }) => hook === 'INPUT')
    const paths = (hookHandler?.visit(branch()) ?? []).map(({ verdict, assumptions }) => [
      verdict,
      assumptions.map(({ condition, value }) => `${condition}: ${value}`),
    ])
    expect(paths).toEqual(expected)
  })

  it('has an unknown outcome at a missing chain, and also continues if the missing chain is foreign', () => {
    const at = (hook: Hook, isOwned: boolean) => {
      const coverage = { ...createCoverageQueries({ complete: ['filter/INPUT'] }), isOwned: () => isOwned }
      const gone = hookHandlers('filter', ['-A INPUT -j GONE'], facts({ coverage })).find((each) => each.hook === hook)
      return (gone?.visit(branch()) ?? []).map(({ verdict }) => verdict)
    }
    const reason = 'chain filter/GONE is missing in the dump'
    expect(at('INPUT', true)).toEqual([unknown(reason)])
    expect(at('INPUT', false)).toEqual([unknown(reason), next])
    expect(at('OUTPUT', true)).toEqual([next, unknown('chain filter/OUTPUT is missing in the dump')])
  })
})

it('destinationsOfRules returns the destinations that rules match on', () => {
  const lines = [
    ':A - [0:0]',
    '-A INPUT -d 10.0.0.1/32 -j A',
    '-A A ! -d 10.0.0.0/8 -j DROP',
    '-A A -s 10.0.0.2 -j DROP',
  ]
  expect([...destinationsOfRules(readState(`*filter\n${lines.join('\n')}\nCOMMIT\n`))]).toEqual([
    { address: '10.0.0.1' },
    { address: '10.0.0.0/8' },
  ])
})

const stepOf = createRuleStepFactory('nat', 'OUTPUT', 'IPv4')

it.each<[words: string, saved: string, expected: Partial<PathStep>]>([
  [
    '-p 6 -m comment --comment a -m comment --comment "b c"',
    '-p tcp -m comment --comment a -m comment --comment "b c"',
    { comment: 'a; b c' },
  ],
  ['-j KUBE-TARGET', '-j KUBE-TARGET', { target: 'KUBE-TARGET', jumpsTo: 'KUBE-TARGET' }],
  ['-g KUBE-TARGET', '-g KUBE-TARGET', { target: 'KUBE-TARGET', jumpsTo: 'KUBE-TARGET' }],
  ['-j ACCEPT', '-j ACCEPT', { target: 'ACCEPT' }],
  [
    '-j DNAT --to-destination 10.244.1.1:80',
    '-j DNAT --to-destination 10.244.1.1:80',
    { target: 'DNAT --to-destination 10.244.1.1:80', rewrites: 'destination' },
  ],
  [
    '-j REDIRECT --to-ports 1',
    '-j REDIRECT --to-ports 1',
    { target: 'REDIRECT --to-ports 1', rewrites: 'destination' },
  ],
  ['-j MASQUERADE', '-j MASQUERADE', { target: 'MASQUERADE', rewrites: 'source' }],
  ['-j MARK --or-mark 0x1', '-j MARK --set-xmark 0x1/0x1', { target: 'MARK --set-xmark 0x1/0x1' }],
  [
    '-j REJECT',
    '-j REJECT --reject-with icmp-port-unreachable',
    { target: 'REJECT --reject-with icmp-port-unreachable' },
  ],
])('a step contains the rule %s in the format of iptables-save', (words, saved, expected) => {
  expect(stepOf({ rule: readRule(words), owner: 'ns/a' })()).toEqual({
    hook: 'OUTPUT',
    table: 'iptables nat',
    chain: 'T',
    text: `-A T ${saved}`,
    target: '',
    jumpsTo: '',
    comment: '',
    servicePort: 'ns/a',
    ...expected,
  })
})

it('a rule creates its step only once', () => {
  const rule = readRule('-j ACCEPT')
  expect(stepOf({ rule, owner: '' })()).toBe(stepOf({ rule, owner: '' })())
  expect(stepOf({ rule: readRule('-j ACCEPT'), owner: '' })()).not.toBe(stepOf({ rule, owner: '' })())
})
