import { describe, expect, it } from 'vitest'
import { isCompleteRule, isRuleContinuation } from '../../../../src/dataplane/iptables/pasted/rest-of-rule.js'

const ROW = 'KUBE-A tcp -- 0.0.0.0/0 10.96.0.1'

describe('isCompleteRule', () => {
  it.each([
    ['-A A -j ACCEPT', true],
    ['-A A -g B', true],
    ['-A A -j DNAT --to-destination 10.0.0.1', true],
    ['-A A -j REJECT', true],
    ['-A A', false],
    ['-A A -j', false],
    ['-A A -j DNAT', false],
    ['-A A -j DNAT --to-destination', false],
    ['-A A -j SNAT --to-source', false],
    ['-A A -m comment --comment "a -j ACCEPT', false],
  ])('decides whether the rule in %s is complete: %s', (source, isWhole) => {
    expect(isCompleteRule(source)).toBe(isWhole)
  })
})

describe('isRuleContinuation', () => {
  it.each([
    ['-A A -p tcp', '-j ACCEPT', true],
    ['-A A -p tcp', '--dport 80 -j ACCEPT', true],
    ['-A A -p tcp', '! -d 10.0.0.1', true],
    ['-A A -d', '10.0.0.1', true],
    ['-A A --match-set', 'A dst', true],
    ['-A A -d', '(nothing)', false],
    ['-A A -p tcp', 'words of the poster', false],
    ['-A A -p tcp', 'udp -j ACCEPT', true],
    ['-A A -p tcp', '"ns/a" -j ACCEPT', true],
    ['-A A -m comment --comment "ns', 'a" -j ACCEPT', true],
    ['-A A -m comment --comment "ns', 'two words of it and its end" -j ACCEPT', true],
    ['-A A -m comment --comment "ns', 'two words of it', false],
    [`-A A -p tcp`, `${'x'.repeat(80)} -j`, true],
    [`-A A -p tcp`, `${'x'.repeat(81)} -j`, false],
    ['-A A -j ACCEPT', '-d 10.0.0.1', false],
    ['[0:0] -A A -p tcp', '-j ACCEPT', true],
    ['[0:0] -A A -j ACCEPT', '/* a */', false],
    ['-I A -p tcp', '-j ACCEPT', true],
    ['-A A -p tcp', '*nat', false],
    ['-A A -d', '*nat', false],
    ['-A A -m comment --comment "ns', 'COMMIT "', false],
    ['-A A -m comment --comment "ns', ':A - [0:0] "', false],
    ['-A A -m comment --comment "ns', ':A ACCEPT "', false],
    ['-A A -m comment --comment "ns', ':A DROP "', false],
    ['-A A -m comment --comment "ns', '-A B "', false],
    ['-A A -p tcp', '-N B', false],
    ['-A A -p tcp', '-P INPUT ACCEPT', false],
    ['-A A -p tcp', '-I B', false],
    ['-A A -p tcp', '-X B', false],
    ['-A A -m comment --comment "ns', '[0:0] -A "', false],
    ['-A A -m comment --comment "ns', 'Chain INPUT (policy ACCEPT) "', false],
    ['-A A -m comment --comment "ns', 'target prot opt "', false],
    [`-A A ${'x'.repeat(4091)}`, '-j ACCEPT', true],
    [`-A A ${'x'.repeat(4092)}`, '-j ACCEPT', false],
  ])('decides whether a line continues %s in %s: %s', (before, source, isRest) => {
    expect(isRuleContinuation(before, source)).toBe(isRest)
  })
})

describe('isRuleContinuation after a listing row', () => {
  it.each([
    '/* ns/a */',
    'ADDRTYPE match dst-type LOCAL',
    'tcp dpt:80',
    'udp spts:1:90',
    'sctp dpt:80',
    'tcp to:10.0.0.1:80',
    'to:10.0.0.1:80',
    'statistic mode random probability 0.5',
    'mark match 0x1',
    'connmark match 0x1',
    'MARK or 0x1',
    'MARK and 0x1',
    'MARK set 0x1',
    'MARK xset 0x1',
    'ctstate NEW',
    'state NEW',
    'reject-with icmp-port-unreachable',
    'redir ports 80',
    'recent: SET',
    'match-set A dst',
  ])('decides whether a line continues the row: %s', (source) => {
    expect(isRuleContinuation(ROW, source)).toBe(true)
    expect(isRuleContinuation('a word of the poster', source)).toBe(false)
  })

  it.each([
    ['continues the row if it is the rest of a comment', `${ROW} /* ns/a`, 'and more */', true],
    ['does not continue the row if it consists of words after a comment', `${ROW} /* ns/a */`, 'and more', false],
    ['does not continue the row if it consists of other words', ROW, 'and more', false],
    ['does not continue the row if it is a mark without a target', ROW, 'MARKED 0x1', false],
    ['does not continue the row if a word only starts like a match', ROW, 'status', false],
    ['does not continue the row if it is the next row', `${ROW} /* ns/a`, 'KUBE-B tcp -- 0.0.0.0/0 10.96.0.2', false],
    ['continues the row if it consists of the addresses', 'KUBE-A tcp --', '0.0.0.0/0 10.96.0.1', true],
    ['continues the row if it starts with the destination', 'KUBE-A udp -- 0.0.0.0/0', '10.96.0.1 udp dpt:53', true],
    ['does not continue a row with an unknown protocol', 'KUBE-A xyz --', '0.0.0.0/0 10.96.0.1', false],
    ['does not continue the row if it contains no addresses', 'KUBE-A sctp --', 'AND MORE', false],
    ['continues a row of protocol all if it is the destination', 'KUBE-A all -- 0.0.0.0/0', '10.96.0.1', true],
  ])('%s', (_, before, source, isRest) => {
    expect(isRuleContinuation(before, source)).toBe(isRest)
  })
})
