import { expect, it } from 'vitest'
import type { Step } from '../../../../../compiler/src/dataplane/netfilter/branch.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { ruleSteps } from '../../../../src/dataplane/iptables/evaluate/rule-step.js'

const stepOf = ruleSteps('nat', 'OUTPUT', 'IPv4')

it.each<[words: string, saved: string, told: Partial<Step>]>([
  [
    '-p 6 -m comment --comment a -m comment --comment "b c"',
    '-p tcp -m comment --comment a -m comment --comment "b c"',
    { comment: 'a; b c' },
  ],
  ['-j KUBE-TARGET', '-j KUBE-TARGET', { verdict: 'KUBE-TARGET', jumpsTo: 'KUBE-TARGET' }],
  ['-g KUBE-TARGET', '-g KUBE-TARGET', { verdict: 'KUBE-TARGET', jumpsTo: 'KUBE-TARGET' }],
  ['-j ACCEPT', '-j ACCEPT', { verdict: 'ACCEPT' }],
  [
    '-j DNAT --to-destination 10.244.1.1:80',
    '-j DNAT --to-destination 10.244.1.1:80',
    { verdict: 'DNAT --to-destination 10.244.1.1:80', changes: 'destination' },
  ],
  [
    '-j REDIRECT --to-ports 1',
    '-j REDIRECT --to-ports 1',
    { verdict: 'REDIRECT --to-ports 1', changes: 'destination' },
  ],
  ['-j MASQUERADE', '-j MASQUERADE', { verdict: 'MASQUERADE', changes: 'source' }],
  ['-j MARK --or-mark 0x1', '-j MARK --set-xmark 0x1/0x1', { verdict: 'MARK --set-xmark 0x1/0x1' }],
  [
    '-j REJECT',
    '-j REJECT --reject-with icmp-port-unreachable',
    { verdict: 'REJECT --reject-with icmp-port-unreachable' },
  ],
])('%s is reported as iptables-save prints it', (words, saved, told) => {
  expect(stepOf({ rule: readRule(words), owner: 'ns/a' })()).toEqual({
    hook: 'OUTPUT',
    by: 'iptables nat',
    chain: 'T',
    text: `-A T ${saved}`,
    verdict: '',
    jumpsTo: '',
    changes: '',
    comment: '',
    owner: 'ns/a',
    ...told,
  })
})

it('a step is created once per rule', () => {
  const rule = readRule('-j ACCEPT')
  expect(stepOf({ rule, owner: '' })()).toBe(stepOf({ rule, owner: '' })())
  expect(stepOf({ rule: readRule('-j ACCEPT'), owner: '' })()).not.toBe(stepOf({ rule, owner: '' })())
})
