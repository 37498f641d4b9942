import { describe, expect, it } from 'vitest'
import type { Rule, Table } from '../../../../src/dataplane/iptables/ast.js'
import {
  actualChainsOf,
  actualOwnersOf,
  expectedChainsOf,
  type TablePair,
} from '../../../../src/dataplane/iptables/compare/table-pair.js'

function rule(chain: string, to: string): Rule {
  return { chain, matches: [], target: { kind: 'jump', chain: to } }
}

function chainsIn(chains: readonly string[], ...rules: readonly Rule[]) {
  const table: Table = { name: 'nat', jumps: [], blocks: [{ owner: '', chains, rules }] }
  const { names, rulesOf } = actualChainsOf(table)
  return { names: [...names], rulesOf }
}

describe('actualChainsOf', () => {
  const [a, b, c] = [rule('A', 'X'), rule('B', 'X'), rule('A', 'Y')]

  it('returns each chain with its rules', () => {
    const { names, rulesOf } = chainsIn(['A', 'B', 'EMPTY'], a, c, b)
    expect(names).toEqual(['A', 'B', 'EMPTY'])
    expect(['A', 'B', 'EMPTY', 'C'].map(rulesOf)).toEqual([[a, c], [b], [], undefined])
  })

  it('returns all rules of a chain even if rules of other chains separate them', () => {
    const { rulesOf } = chainsIn(['A', 'B'], a, b, c)
    expect(['A', 'B'].map(rulesOf)).toEqual([[a, c], [b]])
  })

  it('returns chains of several blocks, but not chains that are only referenced', () => {
    const blocks = [
      { owner: 'x', chains: ['A'], rules: [a] },
      { owner: 'y', chains: ['B'], rules: [c, b] },
    ]
    const { names, rulesOf } = actualChainsOf({ name: 'nat', jumps: [rule('OUTPUT', 'C')], blocks })
    expect([...names].filter((name) => name.length === 1)).toEqual(['A', 'B'])
    expect(['A', 'B', 'C'].map(rulesOf)).toEqual([[a, c], [b], undefined])
  })

  it('returns the rules of an undeclared chain', () => {
    expect(chainsIn([], a, c).rulesOf('A')).toEqual([a, c])
  })
})

describe('expectedChainsOf and actualOwnersOf', () => {
  const toAll = rule('ALL', 'A')
  const [ofAll, own, late] = [rule('ALL', 'X'), rule('X', 'Y'), rule('LATE', 'X')]
  const expected: Table = {
    name: 'nat',
    jumps: ['ALL', 'X', 'ONLY'].map((to) => rule('OUTPUT', to)),
    blocks: [
      { owner: '', chains: ['ALL'], rules: [toAll] },
      { owner: 'x', chains: ['X'], rules: [ofAll, own, late] },
      { owner: '', chains: ['EMPTY'], rules: [] },
    ],
  }

  it('return owned chains first, and then shared chains with the owner of each rule', () => {
    const pair = { expected, ownedChains: () => new Set(['X']) } as Partial<TablePair> as TablePair
    expect([...expectedChainsOf(pair)]).toEqual([
      { name: 'X', owner: 'x', rules: [own], owners: [] },
      { name: 'ALL', owner: '', rules: [toAll, ofAll], owners: ['', 'x'] },
      { name: 'LATE', owner: '', rules: [late], owners: ['x'] },
      { name: 'EMPTY', owner: '', rules: [], owners: [] },
      { name: 'ONLY', owner: '', rules: [], owners: [] },
    ])
  })

  it('return the owner of each chain and rule if the state has owners', () => {
    const { chains, rules } = actualOwnersOf(expected)
    expect([...chains]).toEqual([
      ['ALL', ''],
      ['X', 'x'],
      ['EMPTY', ''],
    ])
    expect([toAll, ofAll, own].map((each) => rules.get(each))).toEqual(['', 'x', 'x'])
    expect([actualOwnersOf(undefined).chains.size, actualOwnersOf(undefined).rules.size]).toEqual([0, 0])
  })
})
