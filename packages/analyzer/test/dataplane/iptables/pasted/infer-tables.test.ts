import { describe, expect, it } from 'vitest'
import type { FoundBlock } from '../../../../src/dataplane/iptables/pasted/found-block.js'
import { inferTables } from '../../../../src/dataplane/iptables/pasted/infer-tables.js'
import { block, found } from './blocks-of.js'

const HINTS: Readonly<Record<string, string>> = { 'KUBE-NAT': 'nat', 'KUBE-FW': 'filter' }
const hint = (chain: string) => HINTS[chain]

/** Returns the tables of the rules and chains of a block; `?` before a rule or chain marks a gap before it. */
function placed(fields: Partial<FoundBlock>, rules: readonly string[], chains: readonly string[] = []) {
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

describe('table of rules', () => {
  it.each<[string, Partial<FoundBlock>, readonly string[], readonly string[], string, string]>([
    ['from a heading', {}, ['A -j B', 'A -j KUBE-FW'], ['OUTPUT', 'A'], 'nat nat', 'nat nat'],
    ['from their target, if the heading is impossible', {}, ['A -j REJECT'], ['OUTPUT', 'A'], 'filter', 'nat nat'],
    ['from a chain that was not created', {}, ['KUBE-FW -j A', 'C -j A'], ['OUTPUT'], 'filter nat', 'nat'],
    [
      'from rules, if no built-in chains are named',
      {},
      ['A -j KUBE-FW', 'B -j A'],
      ['A', 'B', 'KUBE-FW'],
      'filter nat',
      'nat nat filter',
    ],
    [
      'requested by a command',
      { kind: 'rules', table: 'filter' },
      ['A -j KUBE-NAT', 'KUBE-NAT -j A'],
      ['KUBE-NAT'],
      'filter filter',
      'filter',
    ],
    [
      'from rules after a gap',
      {},
      ['A -j B', '?KUBE-FW -j A', '?C -j A', '?A -j C'],
      ['OUTPUT', 'A'],
      'nat filter filter nat',
      'nat nat',
    ],
    [
      'from their chain, if no line names a table',
      { table: undefined },
      ['A -j REJECT', 'C -j DNAT', 'A -j B', 'D -j B'],
      [],
      'filter nat filter filter',
      '',
    ],
    ['from the preceding rule', { table: undefined }, ['A -j REJECT', 'C -j DNAT', 'D -j B'], [], 'filter nat nat', ''],
    [
      'from the first one that determines it',
      { table: undefined },
      ['D -j B', 'A -j REJECT', 'C -j DNAT'],
      ['D', 'E'],
      'filter filter nat',
      'filter filter',
    ],
    ['nat, if nothing determines it', { table: undefined, kind: 'rules' }, ['A -j B'], ['A'], 'nat', 'nat'],
    [
      'filter, if no row of a listing determines it',
      { table: undefined, kind: 'listing' },
      ['A -j B'],
      ['A'],
      'filter',
      'filter',
    ],
    ['with the built-in chain', {}, ['FORWARD -j B', 'OUTPUT -j B'], ['OUTPUT', 'FORWARD'], 'filter nat', 'nat filter'],
  ])('%s', (_, fields, rules, chains, ofRules, ofChains) => {
    expect(placed(fields, rules, chains)).toEqual([ofRules, ofChains])
  })
})

describe('table of chains', () => {
  it.each<[string, Partial<FoundBlock>, readonly string[], readonly string[], string]>([
    [
      'from their rules, if no line names a table',
      { table: undefined },
      ['A -j REJECT', 'B -j DNAT'],
      ['B', 'A'],
      'nat filter',
    ],
    ['from their name', { table: undefined }, ['A -j REJECT'], ['KUBE-NAT', 'PREROUTING', 'C'], 'nat nat filter'],
    ['from their name after a gap', {}, [], ['OUTPUT', '?KUBE-FW', '?C'], 'nat filter nat'],
    ['that can contain them', {}, [], ['OUTPUT', 'FORWARD', 'INPUT'], 'nat filter nat'],
  ])('%s', (_, fields, rules, chains, expected) => {
    expect(placed(fields, rules, chains)[1]).toBe(expected)
  })
})
