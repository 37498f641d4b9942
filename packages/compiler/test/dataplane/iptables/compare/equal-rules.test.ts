import { describe, expect, it } from 'vitest'
import type { Match, Rule, Target } from '../../../../src/dataplane/iptables/ast.js'
import { areRulesEqual } from '../../../../src/dataplane/iptables/compare/equal-rules.js'

/** Pairwise different matches. */
const MATCHES: readonly Match[] = [
  { kind: 'source', address: '10.0.0.1/32', negated: false },
  { kind: 'source', address: '10.0.0.2/32', negated: false },
  { kind: 'source', address: '10.0.0.1/32', negated: true },
  { kind: 'destination', address: '10.0.0.1/32', negated: false },
  { kind: 'destination', address: '10.0.0.2/32', negated: false },
  { kind: 'destination', address: '10.0.0.1/32', negated: true },
  { kind: 'protocol', protocol: 'tcp', negated: false },
  { kind: 'protocol', protocol: 'udp', negated: false },
  { kind: 'protocol', protocol: 'tcp', negated: true },
  { kind: 'transport', protocol: 'tcp' },
  { kind: 'transport', protocol: 'udp' },
  { kind: 'sourcePort', first: 1, last: 2, negated: false },
  { kind: 'destinationPort', first: 1, last: 2, negated: false },
  { kind: 'destinationPort', first: 2, last: 2, negated: false },
  { kind: 'destinationPort', first: 1, last: 1, negated: false },
  { kind: 'destinationPort', first: 1, last: 2, negated: true },
  { kind: 'comment', text: 'a' },
  { kind: 'comment', text: 'b' },
  { kind: 'statistic', probability: '0.5', negated: false },
  { kind: 'statistic', probability: '0.6', negated: false },
  { kind: 'statistic', probability: '0.5', negated: true },
  { kind: 'conntrack', states: ['NEW'], negated: false },
  { kind: 'conntrack', states: ['NEW', 'INVALID'], negated: false },
  { kind: 'unknown', words: ['-m', 'x'] },
]

const TARGETS: readonly (Target | undefined)[] = [
  undefined,
  { kind: 'accept' },
  { kind: 'jump', chain: 'A' },
  { kind: 'jump', chain: 'B' },
  { kind: 'goto', chain: 'A' },
  { kind: 'dnat', destination: '10.0.0.1:80' },
  { kind: 'dnat', destination: '10.0.0.1:81' },
  { kind: 'reject', with: 'tcp-reset' },
  { kind: 'reject', with: 'icmp-port-unreachable' },
]

const of = (matches: readonly Match[], target?: Target, chain = 'C'): Rule => ({ chain, matches, target })

describe('areRulesEqual', () => {
  it.each(MATCHES.map((match) => ({ match })))('returns true only for equal matches: $match', ({ match }) => {
    const same = MATCHES.filter((other) => areRulesEqual([of([match])], [of([structuredClone(other)])]))
    expect(same).toEqual([match])
  })

  it.each(TARGETS.map((target) => ({ target })))('returns true only for equal targets: $target', ({ target }) => {
    const same = TARGETS.filter((other) => areRulesEqual([of([], target)], [of([], structuredClone(other))]))
    expect(same).toEqual([target])
  })

  it('distinguishes rules by chain, number of matches and order of matches', () => {
    const [a, b] = MATCHES as [Match, Match]
    expect(areRulesEqual([of([])], [of([], undefined, 'D')])).toBe(false)
    expect(areRulesEqual([of([a])], [of([a, b])])).toBe(false)
    expect(areRulesEqual([of([a, b])], [of([a])])).toBe(false)
    expect(areRulesEqual([of([a, b])], [of([b, a])])).toBe(false)
    expect(areRulesEqual([of([a, b])], [of([a, b])])).toBe(true)
  })

  it('compares lists of rules item by item', () => {
    const [a, b] = [of([], { kind: 'accept' }), of([], { kind: 'drop' })]
    expect([areRulesEqual([], []), areRulesEqual([a, b], [a, b])]).toEqual([true, true])
    expect([areRulesEqual([a], [a, b]), areRulesEqual([a, b], [a]), areRulesEqual([a, b], [a, a])]).toEqual([
      false,
      false,
      false,
    ])
  })
})
