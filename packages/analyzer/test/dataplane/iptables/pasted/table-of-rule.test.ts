import { describe, expect, it } from 'vitest'
import {
  canContainRule,
  inferTableFromChain,
  inferTableOfRule,
} from '../../../../src/dataplane/iptables/pasted/table-of-rule.js'

const noHint = () => undefined

describe('inferTableOfRule', () => {
  it.each<readonly [chain: string, words: string, table: string | undefined]>([
    ['PREROUTING', '-j DNAT --to-destination 10.0.0.1', 'nat'],
    ['A', '-j REJECT', 'filter'],
    ...['DNAT', 'SNAT', 'MASQUERADE', 'REDIRECT', 'NETMAP'].map((target) => ['A', `-j ${target}`, 'nat'] as const),
    ...['NOTRACK', 'CT'].map((target) => ['A', `-j ${target}`, 'raw'] as const),
    ...['TPROXY', 'TCPMSS', 'CHECKSUM', 'TOS', 'DSCP'].map((target) => ['A', `-g ${target}`, 'mangle'] as const),
    ['A', '-s 10.0.0.1 -j', undefined],
    ['A', 'DNAT', undefined],
    ['PREROUTING', '-j ACCEPT', 'nat'],
    ['POSTROUTING', '-j ACCEPT', 'nat'],
    ['INPUT', '-j ACCEPT', 'filter'],
    ['OUTPUT', '-j ACCEPT', undefined],
    ['INPUT', '-m state --state NEW -j DNAT', 'nat'],
    ['PREROUTING', '-m state --state NEW -j A', 'nat'],
    ['toString', '-j ACCEPT', undefined],
    ['A', '-j toString', undefined],
    ['OUTPUT', '-m conntrack --ctstate NEW -j A', 'filter'],
    ['OUTPUT', '-m state --state NEW -j A', 'filter'],
    ['FORWARD', '-j ACCEPT', 'filter'],
    ['A', '', undefined],
  ])('for the rule -A %s %s infers the table %s', (chain, words, table) => {
    expect(inferTableOfRule(chain, words.split(' '), noHint)).toBe(table)
  })

  it('infers the table from the chain, or from the referenced chain', () => {
    const hint = (chain: string) => (chain === 'KNOWN' ? 'mangle' : undefined)
    expect(inferTableOfRule('KNOWN', ['-j', 'A'], hint)).toBe('mangle')
    expect(inferTableOfRule('A', ['-g', 'KNOWN'], hint)).toBe('mangle')
    expect(inferTableOfRule('A', ['-j', 'REJECT'], () => 'nat')).toBe('filter')
    expect(inferTableOfRule('INPUT', ['-j', 'A'], () => 'mangle')).toBe('mangle')
    expect(inferTableOfRule('A', ['-j', 'B'], (chain, led) => (chain === 'A' && led === 'B' ? 'raw' : undefined))).toBe(
      'raw',
    )
    expect([
      inferTableFromChain('KNOWN', hint),
      inferTableFromChain('INPUT', hint),
      inferTableFromChain('A', () => 'no table'),
    ]).toEqual(['mangle', 'filter', undefined])
  })

  it.each([
    ['nat', 'PREROUTING', '-j DNAT', true],
    ['filter', 'PREROUTING', '', false],
    ['filter', 'A', '-j DNAT', false],
    ['mangle', 'A', '-j CT', true],
    ['security', 'A', '-j REJECT', true],
    ['filter', 'A', '-g B', true],
    ['nat', 'A', '-j DNAT', true],
    ['nat', 'A', '-j REJECT', false],
    ['mangle', 'A', '-j TOS', true],
    ['raw', 'A', '-j TOS', false],
    ['filter', 'INPUT', '-j REJECT', true],
    ['raw', 'FORWARD', '', false],
    ['nat', 'constructor', '-j toString', true],
    ['filter', 'A', '-j', true],
  ] as const)(
    'decides whether table %s can contain a rule of chain %s with these words: %s',
    (table, chain, words, may) => {
      expect(canContainRule(table, chain, words.split(' '))).toBe(may)
    },
  )
})
