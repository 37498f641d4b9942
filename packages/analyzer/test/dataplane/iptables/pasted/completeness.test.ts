import { describe, expect, it } from 'vitest'
import type { Rule, TableName } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import {
  fullyListedTables,
  isWholeChain,
  isWholeTable,
} from '../../../../src/dataplane/iptables/pasted/completeness.js'
import type { FoundBlock } from '../../../../src/dataplane/iptables/pasted/found-block.js'
import type { TableFragment } from '../../../../src/dataplane/iptables/pasted/given-table.js'
import type { RequestedTable } from '../../../../src/dataplane/iptables/pasted/requested-table.js'
import { block, line } from './blocks-of.js'

const command: RequestedTable = { family: 'IPv4', table: 'nat', format: 'rules' }
const ofOne: RequestedTable = { ...command, chain: 'A' }
const searched: RequestedTable = { ...command, filter: 'search' }
const cut: RequestedTable = { ...command, filter: 'cut' }

const jump = (chain: string, to: string): Rule => ({ chain, matches: [], target: { kind: 'jump', chain: to } })
const ALL = ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING', 'A', 'B']
const without = (name: string) => ALL.filter((each) => each !== name)

describe('a table', () => {
  const isWhole = (fields: Partial<FoundBlock>, names = ALL, rules = [jump('A', 'B')], table: TableName = 'nat') =>
    isWholeTable(
      block(fields),
      table,
      names.map((name) => ({ name, afterGap: false })),
      new Map(rules.map((rule) => [rule.chain, [rule]])),
    )

  it.each<[string, Partial<FoundBlock>, boolean]>([
    ['closed', {}, true],
    ['with a gap', { hasGap: true }, false],
    ['that no line names', { table: undefined }, false],
    ['not closed', { isClosed: false }, false],
    ['that was asked for', { command }, true],
    ['of which one chain was asked for', { command: ofOne }, false],
    ['that was searched', { command: searched }, false],
    ['that was cut', { command: cut }, false],
    ['in a listing', { kind: 'listing', command }, false],
    ['of rules alone that were asked for', { kind: 'rules', command, isClosed: false }, true],
    ['of rules alone that nobody asked for', { kind: 'rules' }, false],
  ])('%s is complete or not', (_, fields, expected) => {
    expect(isWhole(fields)).toBe(expected)
  })

  it.each(ALL)('may be missing %s or not', (name) => {
    expect(isWhole({}, without(name))).toBe(name === 'INPUT')
  })

  it('of filter contains INPUT, too', () => {
    const names = ['INPUT', 'FORWARD', 'OUTPUT']
    expect([names, names.slice(1)].map((each) => isWhole({ table: 'filter' }, each, [], 'filter'))).toEqual([
      true,
      false,
    ])
  })

  it('does not need an unreferenced chain', () => {
    expect(isWhole({}, without('B'), [{ chain: 'A', matches: [] }])).toBe(true)
  })
})

describe('a chain', () => {
  it.each<[string, Partial<FoundBlock>, Partial<Parameters<typeof isWholeChain>[2]>, boolean]>([
    ['with rules', {}, {}, true],
    ['that was cut', { command: cut }, {}, false],
    ['that nothing makes', {}, { isDeclared: false }, false],
    ['without rules', {}, { ruleCount: 0 }, true],
    ['without rules that nobody asked for', { kind: 'rules' }, { ruleCount: 0 }, false],
    ['without rules that was asked for', { kind: 'rules', command }, { ruleCount: 0 }, true],
    ['without rules that was searched', { command: searched }, { ruleCount: 0 }, false],
    ['with rules that was searched', { command: searched }, {}, true],
    ['with rules that nobody asked for', { kind: 'rules' }, {}, true],
    ['without rules beside a gap', { hasGap: true }, { ruleCount: 0 }, false],
    ['with rules beside a gap', { hasGap: true }, {}, true],
    ['without rules in what is not closed', { isClosed: false }, { ruleCount: 0 }, false],
    ['with the last rules of what is not closed', { isClosed: false, current: 'A' }, {}, false],
    ['with rules of what is not closed', { isClosed: false, current: 'B' }, {}, true],
    ['with the last rules of a run', { kind: 'rules', command, isClosed: false, current: 'A' }, {}, true],
    ['that is built in', {}, { chain: 'OUTPUT' }, true],
    ['that is built in, of a run', { kind: 'rules', command }, { chain: 'OUTPUT' }, true],
    ['that is built in, of rules alone', { kind: 'rules' }, { chain: 'OUTPUT' }, false],
    ['that is built in, of a search', { command: searched }, { chain: 'OUTPUT' }, false],
    ['that is listed', { kind: 'listing', hasHeading: true }, { isDeclared: false }, true],
    ['that is listed as asked', { kind: 'listing', hasHeading: true, command }, {}, true],
    ['that is listed without heading', { kind: 'listing' }, {}, false],
    ['of a listing that goes on', { kind: 'listing', hasHeading: true, isClosed: false }, {}, false],
    ['of a listing that was searched', { kind: 'listing', hasHeading: true, command: searched }, {}, false],
  ])('%s is complete or not', (_, fields, chain, expected) => {
    expect(isWholeChain(block(fields), 'nat', { chain: 'A', isDeclared: true, ruleCount: 1, ...chain })).toBe(expected)
  })
})

describe('a listing of all chains', () => {
  const listing: Partial<FoundBlock> = { kind: 'listing', command: { ...command, format: 'listing' } }

  const given = (names: readonly string[], fields: Partial<TableFragment> = {}, isWhole = true): TableFragment => ({
    family: 'IPv4',
    name: 'nat',
    isWhole: false,
    isOfAll: false,
    ...fields,
    chains: names.map((name) => ({
      name,
      rules: name === 'A' ? [jump('A', 'B')] : [],
      isWhole,
      isPartial: false,
      at: line(''),
    })),
  })

  it.each<[string, readonly Partial<FoundBlock>[], readonly TableFragment[], boolean]>([
    ['with all of them', [listing], [given(ALL)], true],
    [
      'in several blocks',
      [listing, listing],
      [given(['PREROUTING', 'A', 'B']), given(['OUTPUT', 'POSTROUTING'])],
      true,
    ],
    ['beside another one', [listing, { ...listing, table: 'raw', hasGap: true }], [given(ALL)], true],
    ['in another spelling', [{ ...listing, kind: 'rules' }], [given(ALL)], false],
    ['of a table that no line names', [{ ...listing, table: undefined }], [given(ALL)], false],
    ['that nobody asked for', [{ ...listing, command: undefined }], [given(ALL)], false],
    ['of one chain', [{ ...listing, command: ofOne }], [given(ALL)], false],
    ['that was searched', [{ ...listing, command: searched }], [given(ALL)], false],
    ['with a gap', [listing, { ...listing, hasGap: true }], [given(ALL)], false],
    ['with a torn chain', [listing, { ...listing, incompleteChains: new Set(['A']) }], [given(ALL)], false],
    ['with a chain that is not whole', [listing], [given(ALL), given(['C'], {}, false)], false],
    ['that lacks a chain', [listing], [given(without('B'))], false],
    ['that lacks a built-in chain', [listing], [given(without('OUTPUT'))], false],
    ['whose chains are of the other family', [listing], [given(ALL, { family: 'IPv6' })], false],
    ['whose chains are of another table', [listing], [given(ALL, { name: 'raw' })], false],
  ])('%s is present or not', (_, blocks, tables, expected) => {
    expect(fullyListedTables(blocks.map(block), tables)).toEqual(expected ? ['IPv4 nat'] : [])
  })
})
