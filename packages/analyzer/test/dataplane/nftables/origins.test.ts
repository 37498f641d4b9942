import { describe, expect, it } from 'vitest'
import type { NamedSet, Table } from '../../../../compiler/src/dataplane/nftables/ast.js'
import { printListings } from '../../../../compiler/src/dataplane/nftables/print/print-listing.js'
import { buildNftablesState } from '../../../../compiler/src/dataplane/nftables/state.js'
import { SUBSYSTEM_PRINTERS } from '../../../../compiler/src/print/subsystem-printers.js'
import { statementsOf, tablesOf } from '../../../../compiler/test/dataplane/nftables/tables.js'
import type { LineOrigin } from '../../../src/dataplane/netfilter/line-origin.js'
import {
  createCommandOriginLookup,
  createListingOriginLookup,
  findLineOrigins,
} from '../../../src/dataplane/nftables/find-line-origins.js'

const STATE = {
  tables: tablesOf(`table ip t {
	counter k {
		comment "hi"
		packets 0 bytes 0
	}

	map m {
		type ipv4_addr : verdict
		comment "all"
		elements = { 10.0.0.1 : drop, 10.0.0.2 : accept }
	}

	chain c {
		ip daddr vmap @m
	}
}
`),
}

/** Returns the location of each line, and the text of its rules. */
function saidBy(read: (line: string) => Pick<LineOrigin, 'location' | 'rules'>, lines: readonly string[]) {
  return lines.map((line) => {
    const { location, rules } = read(line)
    return [location, ...(rules?.() ?? []).map(({ text }) => text)]
  })
}

describe('owners of lines', () => {
  const at = { family: 'ip', name: 't' } as const
  const map = (name: string): NamedSet => ({
    kind: 'map',
    name,
    key: { kind: 'type', types: ['inet_service'] },
    data: ['verdict'],
    elements: [],
  })
  const element = (key: string) => ({ set: 'ips', element: { key, verdict: { kind: 'drop' } } as const })
  const rule = { statements: statementsOf('tcp dport vmap { 80 : drop, 81 : accept }') }
  const fixed: Table = { ...at, objects: [], chains: [{ name: 'c', rules: [] }], sets: [map('ips')] }
  const state = buildNftablesState(fixed, () => [
    {
      owner: 'one',
      table: at,
      chains: [{ name: 'd', comment: 'x', rules: [rule] }],
      sets: [map('m')],
      elements: [element('1'), element('2')],
    },
    { owner: 'two', table: at, chains: [], sets: [], elements: ['3', '4', '5', '6', '7'].map(element) },
  ])

  it.each(['save', 'restore'] as const)('are found in the %s format', (format) => {
    const lines = SUBSYSTEM_PRINTERS.nftables.print(state, { format, backend: 'nft' }).split('\n').slice(0, -1)
    const origins = findLineOrigins(lines, state, { format, backend: 'nft' })
    expect(
      origins.map(({ location, owner, rules }) => [
        location.replace('nftables ip t', 't'),
        owner,
        rules?.().length ?? 0,
      ]),
    ).toEqual(
      format === 'restore'
        ? [
            ['t', '', 0],
            ['t chain c', '', 0],
            ['t chain d', 'one', 0],
            ['t set ips', '', 0],
            ['t set m', 'one', 0],
            ['t chain d', 'one', 3],
            ...['1', '2'].map((key) => [`t element ips ${key}`, 'one', 0]),
            ...['3', '4', '5', '6', '7'].map((key) => [`t element ips ${key}`, 'two', 0]),
          ]
        : [
            ['t', '', 0],
            ['t set ips', '', 0],
            ['t set ips', '', 0],
            ['t set ips', '', 0],
            ['t set ips', 'two', 0],
            ['t set ips', '', 0],
            ['', '', 0],
            ['t set m', 'one', 0],
            ['t set m', 'one', 0],
            ['t set m', 'one', 0],
            ['', '', 0],
            ['t chain c', '', 0],
            ['t chain c', '', 0],
            ['', '', 0],
            ['t chain d', 'one', 0],
            ['t chain d', 'one', 0],
            ['t chain d', 'one', 3],
            ['t chain d', 'one', 0],
            ['', '', 0],
          ],
    )
    for (const origin of origins) expect(Object.keys(origin)).not.toContain('places')
    const [origin] = origins.filter(({ rules }) => rules !== undefined && rules().length === 3)
    expect(origin?.rules?.()).toEqual([
      { location: 'nftables ip t chain d', text: 'tcp dport vmap { 80 : drop, 81 : accept }' },
      { location: 'nftables ip t chain d', text: 'tcp dport vmap { 80 : drop }' },
      { location: 'nftables ip t chain d', text: 'tcp dport vmap { 81 : accept }' },
    ])
  })
})

describe('origins of the lines of a table', () => {
  it('exist for commented base chains, multi-line sets, and maps of several rules', () => {
    const tables = tablesOf(`table ip t {
	map m {
		type inet_service : verdict
		elements = { 1 : drop, 2 : drop, 3 : drop, 4 : drop, 5 : drop, 6 : drop }
	}

	chain c {
		comment "why"
		type filter hook input priority filter; policy accept;
		tcp dport vmap @m
		drop
	}

	chain d {
		type filter hook output priority filter; policy accept;
		tcp sport vmap @m
	}

	chain e {
		comment "what"
		drop
	}
}
`)
    const lines = printListings(tables, { version: '1.1' }).split('\n').slice(0, -1)
    const read = createListingOriginLookup({ tables })
    const found = lines.map(read)
    const [first, second] = found.filter(({ places }) => places.some((place) => place.includes('element')))
    expect([first?.location, second?.location]).toEqual(['nftables ip t set m', 'nftables ip t element m 6'])
    expect(first?.places).toEqual([1, 2, 3, 4, 5].map((key) => `nftables ip t element m ${key}`))
    expect(second?.rules?.()).toEqual([
      { location: 'nftables ip t chain c', text: 'tcp dport vmap { 6 : drop }' },
      { location: 'nftables ip t chain d', text: 'tcp sport vmap { 6 : drop }' },
    ])
    const ofChains = found.flatMap(({ location, rules }) =>
      location.includes('chain') && rules !== undefined
        ? [[location.slice(-1), ...rules().map(({ text }) => text)]]
        : [],
    )
    expect(ofChains).toEqual([
      ['c', 'tcp dport vmap @m'],
      ['c', 'drop'],
      ['d', 'tcp sport vmap @m'],
      ['e', 'drop'],
    ])
  })

  it('exist for objects, including ct', () => {
    const lines = ['add ct helper ip t h', 'add quota ip t q', 'add rule ip', 'create table ip t', 'add table ip6 t']
    expect(saidBy(createCommandOriginLookup(STATE), lines)).toEqual([
      ['nftables ip t object h'],
      ['nftables ip t object q'],
      [''],
      [''],
      [''],
    ])
    const listed = ['table ip t {', '\tct helper h {', '\t\ttype "ftp" protocol tcp', '\t}', '', '\tsubset m {', '\t}']
    expect(saidBy(createListingOriginLookup(STATE), listed)).toEqual([
      ['nftables ip t'],
      ...Array(3).fill(['nftables ip t object h']),
      [''],
      ...Array(2).fill(['nftables ip t object m']),
    ])
  })

  it('exist for commands', () => {
    const lines = [
      'add table ip t',
      'add counter ip t k',
      'add map ip t m',
      'add chain ip t c',
      'add element ip t m { 10.0.0.1 : drop }',
      'add rule ip t c ip daddr vmap @m',
      'add rule ip t c drop',
      'add element ip t m { 10.0.0.2 : accept }',
      'add element ip t m { 10.0.0.3 : drop }',
      'add table ip other',
      'flush ruleset',
    ]
    expect(saidBy(createCommandOriginLookup(STATE), lines)).toEqual([
      ['nftables ip t'],
      ['nftables ip t object k'],
      ['nftables ip t set m'],
      ['nftables ip t chain c'],
      ['nftables ip t element m 10.0.0.1', 'ip daddr vmap { 10.0.0.1 : drop }'],
      ['nftables ip t chain c', 'ip daddr vmap @m'],
      ['nftables ip t chain c'],
      ['nftables ip t element m 10.0.0.2', 'ip daddr vmap { 10.0.0.2 : accept }'],
      ['nftables ip t set m'],
      [''],
      [''],
    ])
  })

  it('exist for a listing', () => {
    const lines = [
      'table ip t {',
      '\tcomment "mine"',
      '\tcounter k {',
      '\t\tpackets 0 bytes 0',
      '\t}',
      '',
      '\tmap m {',
      '\t\ttype ipv4_addr : verdict',
      '\t\telements = { 10.0.0.1 : drop, 10.0.0.2 : accept }',
      '\t}',
      '\tchain c {',
      '\t\tip daddr vmap @m',
      '\t}',
      '}',
      'table ip other {',
      '}',
    ]
    expect(saidBy(createListingOriginLookup(STATE), lines)).toEqual([
      ['nftables ip t'],
      ['nftables ip t'],
      ['nftables ip t object k'],
      ['nftables ip t object k'],
      ['nftables ip t object k'],
      [''],
      ['nftables ip t set m'],
      ['nftables ip t set m'],
      ['nftables ip t set m', 'ip daddr vmap { 10.0.0.1 : drop }', 'ip daddr vmap { 10.0.0.2 : accept }'],
      ['nftables ip t set m'],
      ['nftables ip t chain c'],
      ['nftables ip t chain c', 'ip daddr vmap @m'],
      ['nftables ip t chain c'],
      [''],
      [''],
      [''],
    ])
  })
})
