import { describe, expect, it } from 'vitest'
import type { Match, Rule } from '../../../../compiler/src/dataplane/iptables/ast.js'
import { findChainOwner, findRuleOwner, indexProtocolsByName } from '../../../src/targets/iptables/annotate-rules.js'

/** Builds a rule of a chain with a comment and a protocol, if they are not empty. */
function ruleOf(chain: string, comment: string, protocol = '', negated = false): Rule {
  const matches: readonly Match[] = [
    ...(comment === '' ? [] : [{ kind: 'comment', text: comment } as const]),
    ...(protocol === '' ? [] : [{ kind: 'protocol', protocol, negated } as const]),
  ]
  return { chain, matches, target: { kind: 'accept' } }
}

const HEALTH = 'ns/web health check node port'
const KNOWN = new Map([
  ['ns/web', ['UDP', 'SCTP']],
  ['ns/tcp', ['UDP', 'TCP']],
])

describe('protocols of service ports', () => {
  const protocolsOf = (...rules: readonly Rule[]) =>
    Object.fromEntries(
      indexProtocolsByName({
        family: 'IPv4',
        tables: [{ name: 'nat', jumps: [], blocks: [{ owner: '', chains: [], rules }] }],
      }),
    )

  it('are the protocols of the referencing rules, without duplicates', () => {
    expect(
      protocolsOf(
        ruleOf('KUBE-SERVICES', 'ns/web cluster IP', 'udp'),
        ruleOf('KUBE-SERVICES', 'ns/web external IP', '17'),
        ruleOf('KUBE-NODEPORTS', 'ns/web', 'tcp'),
        ruleOf('KUBE-SERVICES', 'ns/other:http cluster IP', 'tcp'),
      ),
    ).toEqual({ 'ns/web': ['UDP', 'TCP'], 'ns/other:http': ['TCP'] })
  })

  it.each([
    ['the comment of a health check', ruleOf('KUBE-NODEPORTS', HEALTH, 'tcp')],
    ['a chain of a service port', ruleOf('KUBE-SVC-A', 'ns/web cluster IP', 'tcp')],
    ['a chain of a service port of old versions', ruleOf('KUBE-XLB-A', 'ns/web cluster IP', 'tcp')],
    ['a chain of another program', ruleOf('CNI', 'ns/web cluster IP', 'tcp')],
    ['no comment', ruleOf('KUBE-SERVICES', '', 'tcp')],
    ['no protocol', ruleOf('KUBE-SERVICES', 'ns/web cluster IP')],
    ['a negated protocol', ruleOf('KUBE-SERVICES', 'ns/web cluster IP', 'tcp', true)],
    ['a comment that names no service port', ruleOf('KUBE-SERVICES', 'kubernetes service nodeports', 'tcp')],
  ])('do not include the protocol of a rule that has %s', (_, rule) => {
    expect(protocolsOf(rule)).toEqual({})
  })
})

describe('the owner of a rule', () => {
  it.each([
    ['is the service port in its comment', ruleOf('KUBE-SERVICES', 'ns/web cluster IP', 'tcp'), 'ns/web/TCP'],
    [
      'has the known protocol of the service port if the rule matches no protocol',
      ruleOf('KUBE-SERVICES', 'ns/web cluster IP'),
      'ns/web/UDP',
    ],
    ['is unknown if no protocol is known', ruleOf('KUBE-SERVICES', 'ns/none cluster IP'), ''],
    ['of a health check has the protocol of the service port', ruleOf('KUBE-NODEPORTS', HEALTH, 'tcp'), 'ns/web/UDP'],
    [
      'of a health check has its own protocol if the service port has that protocol',
      ruleOf('KUBE-NODEPORTS', HEALTH.replace('web', 'tcp'), 'tcp'),
      'ns/tcp/TCP',
    ],
    [
      'of a health check has its own protocol if no protocol of the service port is known',
      ruleOf('KUBE-NODEPORTS', HEALTH.replace('web', 'none'), 'tcp'),
      'ns/none/TCP',
    ],
    ['is unknown without a comment', ruleOf('KUBE-SERVICES', '', 'tcp'), ''],
    [
      'is unknown if the comment names no service port',
      ruleOf('KUBE-SERVICES', 'kubernetes service portals', 'tcp'),
      '',
    ],
    ['is unknown in a chain of a single service port', ruleOf('KUBE-SVC-A', 'ns/web cluster IP', 'tcp'), ''],
    ['is unknown in a chain of another program', ruleOf('CNI', 'ns/web cluster IP', 'tcp'), ''],
  ])('%s', (_, rule, owner) => {
    expect(findRuleOwner(rule, KNOWN)).toBe(owner)
  })
})

describe('the owner of a chain', () => {
  it.each([
    ['is the owner of its rules', [ruleOf('C', 'ns/web', 'tcp')], 'ns/other/TCP', 'ns/web/TCP'],
    [
      'is determined by several rules together',
      [ruleOf('C', ''), ruleOf('C', 'ns/web'), ruleOf('C', '', 'tcp')],
      '',
      'ns/web/TCP',
    ],
    [
      'is the owner of the referencing rule if its rules have no comment',
      [ruleOf('C', '')],
      'ns/other/TCP',
      'ns/other/TCP',
    ],
    [
      'has the protocol of the referencing rule if both have the same name',
      [ruleOf('C', 'ns/web')],
      'ns/web/SCTP',
      'ns/web/SCTP',
    ],
    ['has the known protocol if its rules have no protocol', [ruleOf('C', 'ns/web')], 'ns/web2/SCTP', 'ns/web/UDP'],
    ['is unknown if no protocol is known', [ruleOf('C', 'ns/none')], 'ns/web/TCP', ''],
    ['is unknown without rules', [], '', ''],
  ])('%s', (_, rules, leader, owner) => {
    expect(findChainOwner(rules, leader, KNOWN)).toBe(owner)
  })
})
