import { describe, expect, it } from 'vitest'
import type { Rule, Table } from '../../../../src/dataplane/iptables/ast.js'
import { liveChains } from '../../../../src/dataplane/iptables/compare/table-pair.js'

function rule(chain: string, to: string): Rule {
  return { chain, matches: [], verdict: { kind: 'jump', chain: to } }
}

function chainsIn(chains: readonly string[], ...rules: readonly Rule[]) {
  const table: Table = { name: 'nat', jumps: [], blocks: [{ owner: '', chains, rules }] }
  const { names, rulesOf } = liveChains(table)
  return { names: [...names], rulesOf }
}

describe('liveChains', () => {
  const [a, b, c] = [rule('A', 'X'), rule('B', 'X'), rule('A', 'Y')]

  it('has the rules of each chain where they stand together', () => {
    const { names, rulesOf } = chainsIn(['A', 'B', 'EMPTY'], a, c, b)
    expect(names).toEqual(['A', 'B', 'EMPTY'])
    expect(['A', 'B', 'EMPTY', 'C'].map(rulesOf)).toEqual([[a, c], [b], [], undefined])
  })

  it('has all rules of a chain where others stand between them, as a dump by hand may have them', () => {
    const { rulesOf } = chainsIn(['A', 'B'], a, b, c)
    expect(['A', 'B'].map(rulesOf)).toEqual([[a, c], [b]])
  })
})
