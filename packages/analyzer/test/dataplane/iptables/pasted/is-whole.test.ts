import { describe, expect, it } from 'vitest'
import type { Rule, TableName } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import type { AskedTable } from '../../../../src/dataplane/iptables/pasted/asked-table.js'
import type { FoundBlock } from '../../../../src/dataplane/iptables/pasted/found-block.js'
import type { GivenTable } from '../../../../src/dataplane/iptables/pasted/given-table.js'
import { isWholeChain, isWholeTable, listedTables } from '../../../../src/dataplane/iptables/pasted/is-whole.js'
import { block, line } from './blocks-of.js'

const asked: AskedTable = { family: 'IPv4', table: 'nat', spelling: 'rules' }
const ofOne: AskedTable = { ...asked, chain: 'A' }
const searched: AskedTable = { ...asked, filter: 'search' }
const cut: AskedTable = { ...asked, filter: 'cut' }

const jump = (chain: string, to: string): Rule => ({ chain, matches: [], verdict: { kind: 'jump', chain: to } })
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
    ['that was asked for', { asked }, true],
    ['of which one chain was asked for', { asked: ofOne }, false],
    ['that was searched', { asked: searched }, false],
    ['that was cut', { asked: cut }, false],
    ['in a listing', { kind: 'listing', asked }, false],
    ['of rules alone that were asked for', { kind: 'rules', asked, isClosed: false }, true],
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
    ['that was cut', { asked: cut }, {}, false],
    ['that nothing makes', {}, { isDeclared: false }, false],
    ['without rules', {}, { ruleCount: 0 }, true],
    ['without rules that nobody asked for', { kind: 'rules' }, { ruleCount: 0 }, false],
    ['without rules that was asked for', { kind: 'rules', asked }, { ruleCount: 0 }, true],
    ['without rules that was searched', { asked: searched }, { ruleCount: 0 }, false],
    ['with rules that was searched', { asked: searched }, {}, true],
    ['with rules that nobody asked for', { kind: 'rules' }, {}, true],
    ['without rules beside a gap', { hasGap: true }, { ruleCount: 0 }, false],
    ['with rules beside a gap', { hasGap: true }, {}, true],
    ['without rules in what is not closed', { isClosed: false }, { ruleCount: 0 }, false],
    ['with the last rules of what is not closed', { isClosed: false, current: 'A' }, {}, false],
    ['with rules of what is not closed', { isClosed: false, current: 'B' }, {}, true],
    ['with the last rules of a run', { kind: 'rules', asked, isClosed: false, current: 'A' }, {}, true],
    ['that is built in', {}, { chain: 'OUTPUT' }, true],
    ['that is built in, of a run', { kind: 'rules', asked }, { chain: 'OUTPUT' }, true],
    ['that is built in, of rules alone', { kind: 'rules' }, { chain: 'OUTPUT' }, false],
    ['that is built in, of a search', { asked: searched }, { chain: 'OUTPUT' }, false],
    ['that is listed', { kind: 'listing', hasHeading: true }, { isDeclared: false }, true],
    ['that is listed as asked', { kind: 'listing', hasHeading: true, asked }, {}, true],
    ['that is listed without heading', { kind: 'listing' }, {}, false],
    ['of a listing that goes on', { kind: 'listing', hasHeading: true, isClosed: false }, {}, false],
    ['of a listing that was searched', { kind: 'listing', hasHeading: true, asked: searched }, {}, false],
  ])('%s is complete or not', (_, fields, chain, expected) => {
    expect(isWholeChain(block(fields), 'nat', { chain: 'A', isDeclared: true, ruleCount: 1, ...chain })).toBe(expected)
  })
})

describe('a listing of all chains', () => {
  const listing: Partial<FoundBlock> = { kind: 'listing', asked: { ...asked, spelling: 'listing' } }

  const given = (names: readonly string[], fields: Partial<GivenTable> = {}, isWhole = true): GivenTable => ({
    family: 'IPv4',
    name: 'nat',
    isWhole: false,
    isOfAll: false,
    ...fields,
    chains: names.map((name) => ({
      name,
      rules: name === 'A' ? [jump('A', 'B')] : [],
      isWhole,
      showsPart: false,
      at: line(''),
    })),
  })

  it.each<[string, readonly Partial<FoundBlock>[], readonly GivenTable[], boolean]>([
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
    ['that nobody asked for', [{ ...listing, asked: undefined }], [given(ALL)], false],
    ['of one chain', [{ ...listing, asked: ofOne }], [given(ALL)], false],
    ['that was searched', [{ ...listing, asked: searched }], [given(ALL)], false],
    ['with a gap', [listing, { ...listing, hasGap: true }], [given(ALL)], false],
    ['with a torn chain', [listing, { ...listing, torn: new Set(['A']) }], [given(ALL)], false],
    ['with a chain that is not whole', [listing], [given(ALL), given(['C'], {}, false)], false],
    ['that lacks a chain', [listing], [given(without('B'))], false],
    ['that lacks a built-in chain', [listing], [given(without('OUTPUT'))], false],
    ['whose chains are of the other family', [listing], [given(ALL, { family: 'IPv6' })], false],
    ['whose chains are of another table', [listing], [given(ALL, { name: 'raw' })], false],
  ])('%s is present or not', (_, blocks, tables, expected) => {
    expect(listedTables(blocks.map(block), tables)).toEqual(expected ? ['IPv4 nat'] : [])
  })
})
