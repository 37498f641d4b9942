import { expect, it } from 'vitest'
import type { PathStep } from '../../../../../compiler/src/dataplane/netfilter/path-state.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { createRuleStepFactory } from '../../../../src/dataplane/iptables/evaluate/rule-step.js'

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
])('the rule %s is reported in the format of iptables-save', (words, saved, expected) => {
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
