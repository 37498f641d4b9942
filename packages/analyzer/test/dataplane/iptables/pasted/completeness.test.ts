import { describe, expect, it } from 'vitest'
import type { Rule, TableName } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import {
  findFullyListedTables,
  isCompleteChain,
  isCompleteTable,
} from '../../../../src/dataplane/iptables/pasted/completeness.js'
import type { TableFragment } from '../../../../src/dataplane/iptables/pasted/merge-table.js'
import type { PastedBlock } from '../../../../src/dataplane/iptables/pasted/pasted-block.js'
import type { RequestedTable } from '../../../../src/dataplane/iptables/pasted/requested-table.js'
import { block, line } from './blocks-of.js'

const command: RequestedTable = { family: 'IPv4', table: 'nat', format: 'rules' }
const ofOne: RequestedTable = { ...command, chain: 'A' }
const searched: RequestedTable = { ...command, filter: 'search' }
const cut: RequestedTable = { ...command, filter: 'cut' }

const jump = (chain: string, to: string): Rule => ({ chain, matches: [], target: { kind: 'jump', chain: to } })
const ALL = ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING', 'A', 'B']
const without = (name: string) => ALL.filter((each) => each !== name)

describe('a table in an excerpt', () => {
  const isWhole = (fields: Partial<PastedBlock>, names = ALL, rules = [jump('A', 'B')], table: TableName = 'nat') =>
    isCompleteTable(
      block(fields),
      table,
      names.map((name) => ({ name, afterGap: false })),
      new Map(rules.map((rule) => [rule.chain, [rule]])),
    )

  it.each<[string, Partial<PastedBlock>, boolean]>([
    ['is complete if its block is closed', {}, true],
    ['is incomplete if its block has a gap', { hasGap: true }, false],
    ['is incomplete if no line names the table', { table: undefined }, false],
    ['is incomplete if its block is not closed', { isClosed: false }, false],
    ['is complete if the command requested the table', { command }, true],
    ['is incomplete if the command requested one chain', { command: ofOne }, false],
    ['is incomplete if the command is a search', { command: searched }, false],
    ['is incomplete if the output was truncated', { command: cut }, false],
    ['is incomplete if its block is a listing', { kind: 'listing', command }, false],
    [
      'is complete if its block consists of rules that the command requested',
      { kind: 'rules', command, isClosed: false },
      true,
    ],
    ['is incomplete if its block consists of rules without a command line', { kind: 'rules' }, false],
  ])('%s', (_, fields, expected) => {
    expect(isWhole(fields)).toBe(expected)
  })

  it.each(ALL)('is incomplete without chain %s, except for INPUT', (name) => {
    expect(isWhole({}, without(name))).toBe(name === 'INPUT')
  })

  it('is incomplete without chain INPUT if it is table filter', () => {
    const names = ['INPUT', 'FORWARD', 'OUTPUT']
    expect([names, names.slice(1)].map((each) => isWhole({ table: 'filter' }, each, [], 'filter'))).toEqual([
      true,
      false,
    ])
  })

  it('is complete without a chain that no rule references', () => {
    expect(isWhole({}, without('B'), [{ chain: 'A', matches: [] }])).toBe(true)
  })
})

describe('a chain in an excerpt', () => {
  it.each<[string, Partial<PastedBlock>, Partial<Parameters<typeof isCompleteChain>[2]>, boolean]>([
    ['is complete if it has rules', {}, {}, true],
    ['is incomplete if the output was truncated', { command: cut }, {}, false],
    ['is incomplete if no line creates it', {}, { isDeclared: false }, false],
    ['is complete without rules in a closed block', {}, { ruleCount: 0 }, true],
    ['is incomplete without rules and without its command', { kind: 'rules' }, { ruleCount: 0 }, false],
    [
      'is complete without rules if the command requested the chain',
      { kind: 'rules', command },
      { ruleCount: 0 },
      true,
    ],
    ['is incomplete without rules if the command is a search', { command: searched }, { ruleCount: 0 }, false],
    ['is complete with rules if the command is a search', { command: searched }, {}, true],
    ['is complete with rules and without its command', { kind: 'rules' }, {}, true],
    ['is incomplete without rules in a block with a gap', { hasGap: true }, { ruleCount: 0 }, false],
    ['is complete with rules in a block with a gap', { hasGap: true }, {}, true],
    ['is incomplete without rules in an unclosed block', { isClosed: false }, { ruleCount: 0 }, false],
    ['is incomplete if the chain is the last of an unclosed block', { isClosed: false, current: 'A' }, {}, false],
    ['is complete if another chain is the last of an unclosed block', { isClosed: false, current: 'B' }, {}, true],
    [
      'is complete if the chain is the last of the requested rules',
      { kind: 'rules', command, isClosed: false, current: 'A' },
      {},
      true,
    ],
    ['is complete if it is a built-in chain', {}, { chain: 'OUTPUT' }, true],
    ['is complete if it is a built-in chain of requested rules', { kind: 'rules', command }, { chain: 'OUTPUT' }, true],
    [
      'is incomplete if it is a built-in chain of rules without their command',
      { kind: 'rules' },
      { chain: 'OUTPUT' },
      false,
    ],
    [
      'is incomplete if it is a built-in chain and the command is a search',
      { command: searched },
      { chain: 'OUTPUT' },
      false,
    ],
    ['is complete if it is listed with a heading', { kind: 'listing', hasHeading: true }, { isDeclared: false }, true],
    ['is complete if the command requested its listing', { kind: 'listing', hasHeading: true, command }, {}, true],
    ['is incomplete if it is listed without a heading', { kind: 'listing' }, {}, false],
    ['is incomplete if its listing is not closed', { kind: 'listing', hasHeading: true, isClosed: false }, {}, false],
    [
      'is incomplete if its listing is from a search',
      { kind: 'listing', hasHeading: true, command: searched },
      {},
      false,
    ],
  ])('%s', (_, fields, chain, expected) => {
    expect(isCompleteChain(block(fields), 'nat', { chain: 'A', isDeclared: true, ruleCount: 1, ...chain })).toBe(
      expected,
    )
  })
})

describe('findFullyListedTables', () => {
  const listing: Partial<PastedBlock> = { kind: 'listing', command: { ...command, format: 'listing' } }

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

  it.each<[string, readonly Partial<PastedBlock>[], readonly TableFragment[], boolean]>([
    ['finds a table if all of its chains are listed', [listing], [given(ALL)], true],
    [
      'finds a table if its chains are listed in several blocks',
      [listing, listing],
      [given(['PREROUTING', 'A', 'B']), given(['OUTPUT', 'POSTROUTING'])],
      true,
    ],
    [
      'finds a table next to another table with a gap',
      [listing, { ...listing, table: 'raw', hasGap: true }],
      [given(ALL)],
      true,
    ],
    ['does not find a table if the blocks are not listings', [{ ...listing, kind: 'rules' }], [given(ALL)], false],
    ['does not find a table if no line names the table', [{ ...listing, table: undefined }], [given(ALL)], false],
    ['does not find a table if the command line is missing', [{ ...listing, command: undefined }], [given(ALL)], false],
    ['does not find a table if the command requested one chain', [{ ...listing, command: ofOne }], [given(ALL)], false],
    ['does not find a table if the command is a search', [{ ...listing, command: searched }], [given(ALL)], false],
    [
      'does not find a table if one of its listings has a gap',
      [listing, { ...listing, hasGap: true }],
      [given(ALL)],
      false,
    ],
    [
      'does not find a table if a block contains an incomplete chain',
      [listing, { ...listing, incompleteChains: new Set(['A']) }],
      [given(ALL)],
      false,
    ],
    [
      'does not find a table if one of its chains is incomplete',
      [listing],
      [given(ALL), given(['C'], {}, false)],
      false,
    ],
    ['does not find a table if a referenced chain is missing', [listing], [given(without('B'))], false],
    ['does not find a table if a built-in chain is missing', [listing], [given(without('OUTPUT'))], false],
    [
      'does not find a table if the chains belong to the other family',
      [listing],
      [given(ALL, { family: 'IPv6' })],
      false,
    ],
    ['does not find a table if the chains belong to another table', [listing], [given(ALL, { name: 'raw' })], false],
  ])('%s', (_, blocks, tables, expected) => {
    expect(findFullyListedTables(blocks.map(block), tables)).toEqual(expected ? ['IPv4 nat'] : [])
  })
})
