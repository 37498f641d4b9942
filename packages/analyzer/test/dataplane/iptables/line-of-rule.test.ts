import { describe, expect, it } from 'vitest'
import { findLineOfRule } from '../../../src/dataplane/iptables/rule-lines.js'

const SAVED = `*filter
:KUBE-A - [0:0]
-A KUBE-A -j DROP
COMMIT
*nat
:KUBE-A - [0:0]
:KUBE-AB - [0:0]
-A KUBE-AB -d 10.0.0.1/32 -j RETURN
-A KUBE-A -d 10.0.0.1 -m comment --comment "x" -j KUBE-AB
-A KUBE-A "-j
-A KUBE-A ! x
-A KUBE-A -d fd00::1 -j KUBE-AB
-A KUBE-A -j KUBE-AB
COMMIT`.split('\n')

const LISTED = `Chain INPUT (policy ACCEPT)
target     prot opt source               destination
KUBE-A     all  --  0.0.0.0/0            0.0.0.0/0

Chain KUBE-A (1 references)
num  target     prot opt source               destination
1    ACCEPT     all  --  0.0.0.0/0            10.0.0.1
2    KUBE-B     tcp  --  0.0.0.0/0            0.0.0.0/0            tcp dpt:80
Chain KUBE-B (1 references)
KUBE-C     all  --  0.0.0.0/0            0.0.0.0/0`.split('\n')

describe('findLineOfRule', () => {
  it.each([
    ['-A KUBE-A -j DROP', 2],
    ['-A KUBE-AB -d 10.0.0.1/32 -j RETURN', 7],
    ['-A KUBE-A -d 10.0.0.1/32 -m comment --comment x -j KUBE-AB', 8],
    ['-A KUBE-A -d fd00::1/128 -j KUBE-AB', 11],
    ['-A KUBE-A -j KUBE-AB', 12],
    ['-A KUBE-A -j RETURN', undefined],
    ['-A KUBE -j DROP', undefined],
  ])('finds %s in a saved dump at the index %s', (rule, line) => {
    expect(findLineOfRule(rule, SAVED)).toBe(line)
  })

  it.each([
    ['-A INPUT -j KUBE-A', 2],
    ['-A KUBE-A -d 10.0.0.1/32 -j ACCEPT', 6],
    ['-A KUBE-A -p tcp -m tcp --dport 80 -j KUBE-B', 7],
    ['-A KUBE-B -j KUBE-C', 9],
    ['-A KUBE-A -j KUBE-C', undefined],
    ['-A KUBE-A -j KUBE-A', undefined],
  ])('finds %s in a listing at the index %s', (rule, line) => {
    expect(findLineOfRule(rule, LISTED)).toBe(line)
  })
})

describe('findLineOfRule for a chain', () => {
  it.each([
    ['filter/KUBE-A', 1],
    ['nat/KUBE-A', 5],
    ['nat/KUBE-AB', 6],
    ['raw/KUBE-A', undefined],
    ['nat/KUBE', undefined],
    ['nat', undefined],
  ])('finds the declaration of %s in a saved dump at the index %s', (id, line) => {
    expect(findLineOfRule(id, SAVED)).toBe(line)
  })

  it.each([
    ['nat/KUBE-A', 4],
    ['filter/INPUT', 0],
    ['nat/KUBE-C', undefined],
  ])('finds the heading of %s in a listing at the index %s', (id, line) => {
    expect(findLineOfRule(id, LISTED)).toBe(line)
  })

  it('returns the line with -N in the output of iptables -S', () => {
    const lines = ['-P INPUT ACCEPT', '-N KUBE-AB', '-N KUBE-A', '-A KUBE-A -j KUBE-AB']
    expect([findLineOfRule('nat/KUBE-A', lines), findLineOfRule('nat/KUBE-AB', lines)]).toEqual([2, 1])
  })
})
