import { describe, expect, it } from 'vitest'
import type { IptablesState, Table } from '../../../../src/dataplane/iptables/ast.js'
import { printSave } from '../../../../src/dataplane/iptables/print/print-save.js'
import { SAVED_FILTER, SAVED_NAT, WORKED_EXAMPLE } from '../worked-example.js'

const EMPTY: readonly Table[] = (['raw', 'mangle', 'nat', 'filter', 'security'] as const).map((name) => ({
  name,
  jumps: [],
  blocks: [],
}))

function stateOf(...tables: readonly Table[]): IptablesState {
  return { family: 'IPv4', tables }
}

describe('printSave', () => {
  it('prints filter before nat for iptables-nft', () => {
    expect(printSave(WORKED_EXAMPLE, { backend: 'nft' })).toBe(SAVED_FILTER + SAVED_NAT)
  })

  it('prints the last loaded table first for iptables-legacy', () => {
    expect(printSave(WORKED_EXAMPLE, { backend: 'legacy' })).toBe(SAVED_NAT + SAVED_FILTER)
  })

  it('omits tables that iptables-nft does not create', () => {
    expect(printSave(stateOf(...EMPTY), { backend: 'nft' })).toBe('')
  })

  it('prints the built-in chains of a table in the order of their hooks', () => {
    const chain = { owner: '', chains: ['T'], rules: [] }
    const used = EMPTY.map((table) => ({ ...table, blocks: [chain] }))
    const text = printSave(stateOf(...used), { backend: 'nft' })
    expect(text.replace(/ ACCEPT \[0:0\]|:T - \[0:0\]\n/g, '')).toBe(
      [
        '*mangle\n:PREROUTING\n:INPUT\n:FORWARD\n:OUTPUT\n:POSTROUTING\nCOMMIT\n',
        '*security\n:INPUT\n:FORWARD\n:OUTPUT\nCOMMIT\n',
        '*raw\n:PREROUTING\n:OUTPUT\nCOMMIT\n',
        '*filter\n:INPUT\n:FORWARD\n:OUTPUT\nCOMMIT\n',
        '*nat\n:PREROUTING\n:INPUT\n:OUTPUT\n:POSTROUTING\nCOMMIT\n',
      ].join(''),
    )
  })

  it('prints empty tables for iptables-legacy', () => {
    const text = printSave(stateOf({ name: 'filter', jumps: [], blocks: [] }), { backend: 'legacy' })
    expect(text).toBe('*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n')
  })

  it('prints policies and undeclared chains, and sorts chains by byte', () => {
    const table: Table = {
      name: 'filter',
      policies: [{ chain: 'FORWARD', policy: 'DROP' }],
      jumps: [{ chain: 'INPUT', matches: [], target: { kind: 'jump', chain: 'B1' } }],
      blocks: [{ owner: '', chains: ['zz', 'B_1', 'a', 'B-1'], rules: [] }],
    }
    expect(printSave(stateOf(table), { backend: 'nft' })).toBe(
      [
        '*filter',
        ':INPUT ACCEPT [0:0]',
        ':FORWARD DROP [0:0]',
        ':OUTPUT ACCEPT [0:0]',
        ':B-1 - [0:0]',
        ':B1 - [0:0]',
        ':B_1 - [0:0]',
        ':a - [0:0]',
        ':zz - [0:0]',
        '-A INPUT -j B1',
        'COMMIT',
        '',
      ].join('\n'),
    )
  })

  it.each([
    { name: 'nat', policies: [{ chain: 'INPUT', policy: 'DROP' }], jumps: [], blocks: [] },
    { name: 'nat', jumps: [{ chain: 'INPUT', matches: [], target: { kind: 'accept' } }], blocks: [] },
  ] satisfies readonly Table[])('prints a table with no content other than %j', (table) => {
    expect(printSave(stateOf(table), { backend: 'nft' })).toContain('*nat\n')
  })
})
