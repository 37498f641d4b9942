import { describe, expect, it } from 'vitest'
import {
  canContainRule,
  inferTableFromChain,
  inferTableOfRule,
  inferTables,
} from '../../../../src/dataplane/iptables/pasted/infer-tables.js'
import type { PastedBlock } from '../../../../src/dataplane/iptables/pasted/pasted-block.js'
import { block, found } from './blocks-of.js'

const HINTS: Readonly<Record<string, string>> = { 'KUBE-NAT': 'nat', 'KUBE-FW': 'filter' }
const hint = (chain: string) => HINTS[chain]

/** Returns the tables of the rules and chains of a block; `?` before a rule or chain marks a gap before it. */
function placed(fields: Partial<PastedBlock>, rules: readonly string[], chains: readonly string[] = []) {
  const chainsOf = chains.map((name) => ({ name: name.replace('?', ''), afterGap: name.startsWith('?') }))
  const { assumed, ...tables } = inferTables(
    block({
      declared: new Map(chainsOf.map(({ name }, index) => [name, index])),
      chains: chainsOf,
      ...fields,
      rules: rules.map((rule) => found(rule.replace('?', ''), { afterGap: rule.startsWith('?') })),
    }),
    hint,
  )
  expect(assumed).toEqual([...tables.rules, ...tables.chains].filter((table) => table !== block(fields).table))
  return [tables.rules.join(' '), tables.chains.join(' ')]
}

describe('the table of a rule', () => {
  it.each<[string, Partial<PastedBlock>, readonly string[], readonly string[], string, string]>([
    ['is the table of the heading', {}, ['A -j B', 'A -j KUBE-FW'], ['OUTPUT', 'A'], 'nat nat', 'nat nat'],
    [
      'is inferred from the target if the table in the heading cannot contain the rule',
      {},
      ['A -j REJECT'],
      ['OUTPUT', 'A'],
      'filter',
      'nat nat',
    ],
    [
      'is inferred from the chain if the block does not create the chain',
      {},
      ['KUBE-FW -j A', 'C -j A'],
      ['OUTPUT'],
      'filter nat',
      'nat',
    ],
    [
      'is inferred from the rules if the block has no built-in chain',
      {},
      ['A -j KUBE-FW', 'B -j A'],
      ['A', 'B', 'KUBE-FW'],
      'filter nat',
      'nat nat filter',
    ],
    [
      'is the table that the command requests',
      { kind: 'rules', table: 'filter' },
      ['A -j KUBE-NAT', 'KUBE-NAT -j A'],
      ['KUBE-NAT'],
      'filter filter',
      'filter',
    ],
    [
      'is inferred from the chain if a gap precedes the rule',
      {},
      ['A -j B', '?KUBE-FW -j A', '?C -j A', '?A -j C'],
      ['OUTPUT', 'A'],
      'nat filter filter nat',
      'nat nat',
    ],
    [
      'is inferred from its chain and target if no line names a table',
      { table: undefined },
      ['A -j REJECT', 'C -j DNAT', 'A -j B', 'D -j B'],
      [],
      'filter nat filter filter',
      '',
    ],
    [
      'is the table of the preceding rule if nothing else determines it',
      { table: undefined },
      ['A -j REJECT', 'C -j DNAT', 'D -j B'],
      [],
      'filter nat nat',
      '',
    ],
    [
      'is the table of the next rule if no preceding rule determines it',
      { table: undefined },
      ['D -j B', 'A -j REJECT', 'C -j DNAT'],
      ['D', 'E'],
      'filter filter nat',
      'filter filter',
    ],
    ['is nat if nothing determines it', { table: undefined, kind: 'rules' }, ['A -j B'], ['A'], 'nat', 'nat'],
    [
      'is filter if nothing determines it in a listing',
      { table: undefined, kind: 'listing' },
      ['A -j B'],
      ['A'],
      'filter',
      'filter',
    ],
    [
      'is a table with the built-in chain of the rule',
      {},
      ['FORWARD -j B', 'OUTPUT -j B'],
      ['OUTPUT', 'FORWARD'],
      'filter nat',
      'nat filter',
    ],
  ])('%s', (_, fields, rules, chains, ofRules, ofChains) => {
    expect(placed(fields, rules, chains)).toEqual([ofRules, ofChains])
  })
})

describe('the table of a chain', () => {
  it.each<[string, Partial<PastedBlock>, readonly string[], readonly string[], string]>([
    [
      'is inferred from its rules if no line names a table',
      { table: undefined },
      ['A -j REJECT', 'B -j DNAT'],
      ['B', 'A'],
      'nat filter',
    ],
    [
      'is inferred from its name if no line names a table',
      { table: undefined },
      ['A -j REJECT'],
      ['KUBE-NAT', 'PREROUTING', 'C'],
      'nat nat filter',
    ],
    ['is inferred from its name if a gap precedes the chain', {}, [], ['OUTPUT', '?KUBE-FW', '?C'], 'nat filter nat'],
    ['is a table that can contain the built-in chain', {}, [], ['OUTPUT', 'FORWARD', 'INPUT'], 'nat filter nat'],
  ])('%s', (_, fields, rules, chains, expected) => {
    expect(placed(fields, rules, chains)[1]).toBe(expected)
  })
})

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
