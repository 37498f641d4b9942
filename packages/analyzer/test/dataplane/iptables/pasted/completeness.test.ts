import { describe, expect, it } from 'vitest'
import type { Rule, TableName } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import {
  findFullyListedTables,
  isWholeChain,
  isWholeTable,
} from '../../../../src/dataplane/iptables/pasted/completeness.js'
import type { FoundBlock } from '../../../../src/dataplane/iptables/pasted/found-block.js'
import type { RequestedTable } from '../../../../src/dataplane/iptables/pasted/requested-table.js'
import type { TableFragment } from '../../../../src/dataplane/iptables/pasted/table-fragment.js'
import { block, line } from './blocks-of.js'

const command: RequestedTable = { family: 'IPv4', table: 'nat', format: 'rules' }
const ofOne: RequestedTable = { ...command, chain: 'A' }
const searched: RequestedTable = { ...command, filter: 'search' }
const cut: RequestedTable = { ...command, filter: 'cut' }

const jump = (chain: string, to: string): Rule => ({ chain, matches: [], target: { kind: 'jump', chain: to } })
const ALL = ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING', 'A', 'B']
const without = (name: string) => ALL.filter((each) => each !== name)

describe('a table in an excerpt', () => {
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
    ['that was requested', { command }, true],
    ['with one requested chain', { command: ofOne }, false],
    ['from a search', { command: searched }, false],
    ['that was truncated', { command: cut }, false],
    ['in a listing', { kind: 'listing', command }, false],
    ['of rules alone that were requested', { kind: 'rules', command, isClosed: false }, true],
    ['of rules alone without their command', { kind: 'rules' }, false],
  ])('%s is complete or not', (_, fields, expected) => {
    expect(isWhole(fields)).toBe(expected)
  })

  it.each(ALL)('may be missing %s or not', (name) => {
    expect(isWhole({}, without(name))).toBe(name === 'INPUT')
  })

  it('of filter also contains INPUT', () => {
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

describe('a chain in an excerpt', () => {
  it.each<[string, Partial<FoundBlock>, Partial<Parameters<typeof isWholeChain>[2]>, boolean]>([
    ['with rules', {}, {}, true],
    ['that was truncated', { command: cut }, {}, false],
    ['that nothing creates', {}, { isDeclared: false }, false],
    ['without rules', {}, { ruleCount: 0 }, true],
    ['without rules and without its command', { kind: 'rules' }, { ruleCount: 0 }, false],
    ['without rules, requested', { kind: 'rules', command }, { ruleCount: 0 }, true],
    ['without rules, from a search', { command: searched }, { ruleCount: 0 }, false],
    ['with rules, from a search', { command: searched }, {}, true],
    ['with rules and without its command', { kind: 'rules' }, {}, true],
    ['without rules, next to a gap', { hasGap: true }, { ruleCount: 0 }, false],
    ['with rules, next to a gap', { hasGap: true }, {}, true],
    ['without rules in an unclosed block', { isClosed: false }, { ruleCount: 0 }, false],
    ['with the last rules of an unclosed block', { isClosed: false, current: 'A' }, {}, false],
    ['with rules of an unclosed block', { isClosed: false, current: 'B' }, {}, true],
    ['with the last rules of a command output', { kind: 'rules', command, isClosed: false, current: 'A' }, {}, true],
    ['that is built in', {}, { chain: 'OUTPUT' }, true],
    ['that is built in, of a command output', { kind: 'rules', command }, { chain: 'OUTPUT' }, true],
    ['that is built in, of rules alone', { kind: 'rules' }, { chain: 'OUTPUT' }, false],
    ['that is built in, from a search', { command: searched }, { chain: 'OUTPUT' }, false],
    ['that is listed', { kind: 'listing', hasHeading: true }, { isDeclared: false }, true],
    ['that is listed as requested', { kind: 'listing', hasHeading: true, command }, {}, true],
    ['that is listed without a heading', { kind: 'listing' }, {}, false],
    ['of an unfinished listing', { kind: 'listing', hasHeading: true, isClosed: false }, {}, false],
    ['of a listing from a search', { kind: 'listing', hasHeading: true, command: searched }, {}, false],
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
    ['next to another one', [listing, { ...listing, table: 'raw', hasGap: true }], [given(ALL)], true],
    ['in another notation', [{ ...listing, kind: 'rules' }], [given(ALL)], false],
    ['of a table that no line names', [{ ...listing, table: undefined }], [given(ALL)], false],
    ['without its command', [{ ...listing, command: undefined }], [given(ALL)], false],
    ['of one chain', [{ ...listing, command: ofOne }], [given(ALL)], false],
    ['from a search', [{ ...listing, command: searched }], [given(ALL)], false],
    ['with a gap', [listing, { ...listing, hasGap: true }], [given(ALL)], false],
    ['with a torn chain', [listing, { ...listing, incompleteChains: new Set(['A']) }], [given(ALL)], false],
    ['with an incomplete chain', [listing], [given(ALL), given(['C'], {}, false)], false],
    ['without one of the chains', [listing], [given(without('B'))], false],
    ['without a built-in chain', [listing], [given(without('OUTPUT'))], false],
    ['with chains of the other family', [listing], [given(ALL, { family: 'IPv6' })], false],
    ['with chains of another table', [listing], [given(ALL, { name: 'raw' })], false],
  ])('%s is present or not', (_, blocks, tables, expected) => {
    expect(findFullyListedTables(blocks.map(block), tables)).toEqual(expected ? ['IPv4 nat'] : [])
  })
})
