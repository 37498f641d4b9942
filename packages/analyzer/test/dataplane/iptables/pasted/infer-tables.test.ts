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
    ['that a heading says', {}, ['A -j B', 'A -j KUBE-FW'], ['OUTPUT', 'A'], 'nat nat', 'nat nat'],
    ['of their target, where that cannot be', {}, ['A -j REJECT'], ['OUTPUT', 'A'], 'filter', 'nat nat'],
    ['of a chain that was not made', {}, ['KUBE-FW -j A', 'C -j A'], ['OUTPUT'], 'filter nat', 'nat'],
    [
      'that rules tell where built-in chains are not named',
      {},
      ['A -j KUBE-FW', 'B -j A'],
      ['A', 'B', 'KUBE-FW'],
      'filter nat',
      'nat nat filter',
    ],
    [
      'that a run was asked for',
      { kind: 'rules', table: 'filter' },
      ['A -j KUBE-NAT', 'KUBE-NAT -j A'],
      ['KUBE-NAT'],
      'filter filter',
      'filter',
    ],
    [
      'that rules behind a gap tell',
      {},
      ['A -j B', '?KUBE-FW -j A', '?C -j A', '?A -j C'],
      ['OUTPUT', 'A'],
      'nat filter filter nat',
      'nat nat',
    ],
    [
      'of their chain, where no line names one',
      { table: undefined },
      ['A -j REJECT', 'C -j DNAT', 'A -j B', 'D -j B'],
      [],
      'filter nat filter filter',
      '',
    ],
    ['of the rule before', { table: undefined }, ['A -j REJECT', 'C -j DNAT', 'D -j B'], [], 'filter nat nat', ''],
    [
      'of the first that tells it',
      { table: undefined },
      ['D -j B', 'A -j REJECT', 'C -j DNAT'],
      ['D', 'E'],
      'filter filter nat',
      'filter filter',
    ],
    ['nat where none tells it', { table: undefined, kind: 'rules' }, ['A -j B'], ['A'], 'nat', 'nat'],
    [
      'filter where no row of a listing tells it',
      { table: undefined, kind: 'listing' },
      ['A -j B'],
      ['A'],
      'filter',
      'filter',
    ],
    [
      'that has the built-in chain',
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

describe('table of chains', () => {
  it.each<[string, Partial<FoundBlock>, readonly string[], readonly string[], string]>([
    [
      'of their rules, where no line names one',
      { table: undefined },
      ['A -j REJECT', 'B -j DNAT'],
      ['B', 'A'],
      'nat filter',
    ],
    ['of their name', { table: undefined }, ['A -j REJECT'], ['KUBE-NAT', 'PREROUTING', 'C'], 'nat nat filter'],
    ['of their name behind a gap', {}, [], ['OUTPUT', '?KUBE-FW', '?C'], 'nat filter nat'],
    ['that they can be in', {}, [], ['OUTPUT', 'FORWARD', 'INPUT'], 'nat filter nat'],
  ])('%s', (_, fields, rules, chains, expected) => {
    expect(placed(fields, rules, chains)[1]).toBe(expected)
  })
})
