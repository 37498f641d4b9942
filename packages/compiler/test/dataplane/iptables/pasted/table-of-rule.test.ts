import { describe, expect, it } from 'vitest'
import { mayBeIn, tableOfName, tableOfRule } from '../../../../src/dataplane/iptables/pasted/table-of-rule.js'

const noHint = () => undefined

describe('the table of a rule', () => {
  it.each([
    ['PREROUTING', '-j DNAT --to-destination 10.0.0.1', 'nat'],
    ['A', '-j REJECT', 'filter'],
    ['A', '-j toString', undefined],
    ['OUTPUT', '-m conntrack --ctstate NEW -j A', 'filter'],
    ['OUTPUT', '-m state --state NEW -j A', 'filter'],
    ['FORWARD', '-j ACCEPT', 'filter'],
    ['A', '', undefined],
  ])('that says -A %s %s is %s', (chain, words, table) => {
    expect(tableOfRule(chain, words.split(' '), noHint)).toBe(table)
  })

  it('is that of its chain, or of the chain it leads to', () => {
    const hint = (chain: string) => (chain === 'KNOWN' ? 'mangle' : undefined)
    expect(tableOfRule('KNOWN', ['-j', 'A'], hint)).toBe('mangle')
    expect(tableOfRule('A', ['-g', 'KNOWN'], hint)).toBe('mangle')
    expect([tableOfName('KNOWN', hint), tableOfName('INPUT', hint), tableOfName('A', () => 'no table')]).toEqual([
      'mangle',
      'filter',
      undefined,
    ])
  })

  it.each([
    ['nat', 'PREROUTING', '-j DNAT', true],
    ['filter', 'PREROUTING', '', false],
    ['filter', 'A', '-j DNAT', false],
    ['mangle', 'A', '-j CT', true],
    ['security', 'A', '-j REJECT', true],
    ['filter', 'A', '-g B', true],
    ['filter', 'A', '-j', true],
  ] as const)('may be %s where it is in %s: %s', (table, chain, words, may) => {
    expect(mayBeIn(table, chain, words.split(' '))).toBe(may)
  })
})
