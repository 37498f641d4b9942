import { describe, expect, it } from 'vitest'
import type { Match, Rule } from '../../../../compiler/src/dataplane/iptables/ast.js'
import { findChainOwner, findRuleOwner, protocolsByName } from '../../../src/targets/iptables/rule-owner.js'

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
      protocolsByName({
        family: 'IPv4',
        tables: [{ name: 'nat', jumps: [], blocks: [{ owner: '', chains: [], rules }] }],
      }),
    )

  it('are those of the referencing rules, without duplicates', () => {
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
    ['a health check', ruleOf('KUBE-NODEPORTS', HEALTH, 'tcp')],
    ['a chain of a service port', ruleOf('KUBE-SVC-A', 'ns/web cluster IP', 'tcp')],
    ['a chain of a service port of old versions', ruleOf('KUBE-XLB-A', 'ns/web cluster IP', 'tcp')],
    ['a chain of another program', ruleOf('CNI', 'ns/web cluster IP', 'tcp')],
    ['no comment', ruleOf('KUBE-SERVICES', '', 'tcp')],
    ['no protocol', ruleOf('KUBE-SERVICES', 'ns/web cluster IP')],
    ['any protocol but TCP, UDP and SCTP', ruleOf('KUBE-SERVICES', 'ns/web cluster IP', 'tcp', true)],
    ['another comment', ruleOf('KUBE-SERVICES', 'kubernetes service nodeports', 'tcp')],
  ])('exclude those of a rule with %s', (_, rule) => {
    expect(protocolsOf(rule)).toEqual({})
  })
})

describe('owner of a rule', () => {
  it.each([
    ['from its comment', ruleOf('KUBE-SERVICES', 'ns/web cluster IP', 'tcp'), 'ns/web/TCP'],
    ['with the known protocol', ruleOf('KUBE-SERVICES', 'ns/web cluster IP'), 'ns/web/UDP'],
    ['none, if no protocol is known', ruleOf('KUBE-SERVICES', 'ns/none cluster IP'), ''],
    ['of a health check of another protocol', ruleOf('KUBE-NODEPORTS', HEALTH, 'tcp'), 'ns/web/UDP'],
    [
      'of a health check of its own protocol',
      ruleOf('KUBE-NODEPORTS', HEALTH.replace('web', 'tcp'), 'tcp'),
      'ns/tcp/TCP',
    ],
    [
      'of a health check without known protocols',
      ruleOf('KUBE-NODEPORTS', HEALTH.replace('web', 'none'), 'tcp'),
      'ns/none/TCP',
    ],
    ['none without a comment', ruleOf('KUBE-SERVICES', '', 'tcp'), ''],
    ['none with another comment', ruleOf('KUBE-SERVICES', 'kubernetes service portals', 'tcp'), ''],
    ['none in a chain of one service port', ruleOf('KUBE-SVC-A', 'ns/web cluster IP', 'tcp'), ''],
    ['none in a chain of another program', ruleOf('CNI', 'ns/web cluster IP', 'tcp'), ''],
  ])('%s', (_, rule, owner) => {
    expect(findRuleOwner(rule, KNOWN)).toBe(owner)
  })
})

describe('owner of a chain', () => {
  it.each([
    ['from its rules', [ruleOf('C', 'ns/web', 'tcp')], 'ns/other/TCP', 'ns/web/TCP'],
    ['from several rules', [ruleOf('C', ''), ruleOf('C', 'ns/web'), ruleOf('C', '', 'tcp')], '', 'ns/web/TCP'],
    ['from the referencing rule', [ruleOf('C', '')], 'ns/other/TCP', 'ns/other/TCP'],
    ['from the referencing rule with the same name', [ruleOf('C', 'ns/web')], 'ns/web/SCTP', 'ns/web/SCTP'],
    ['with the known protocol, if its own is unknown', [ruleOf('C', 'ns/web')], 'ns/web2/SCTP', 'ns/web/UDP'],
    ['none, if nothing is known', [ruleOf('C', 'ns/none')], 'ns/web/TCP', ''],
    ['none without rules', [], '', ''],
  ])('%s', (_, rules, leader, owner) => {
    expect(findChainOwner(rules, leader, KNOWN)).toBe(owner)
  })
})
