import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chain, NamedSet, Table } from '../../../src/dataplane/nftables/ast.js'
import { diffNftables, findResourceOwners } from '../../../src/dataplane/nftables/claims.js'
import { resourcesOf } from '../../../src/dataplane/nftables/resources.js'
import {
  buildNftablesState,
  type NftablesState,
  type TableContribution,
} from '../../../src/dataplane/nftables/state.js'
import { applyChanges, invertChanges } from '../../../src/patch/patch.js'

const TABLE = { family: 'ip', name: 't' } as const

function map(name: string, elements: NamedSet['elements'] = []): NamedSet {
  return { kind: 'map', name, key: { kind: 'type', types: ['ipv4_addr'] }, data: ['verdict'], elements }
}

const FIXED: Table = {
  ...TABLE,
  chains: [{ name: 'services', rules: [] }],
  sets: [map('ips', [{ key: '10.0.0.9', verdict: { kind: 'drop' } }])],
  objects: [],
}

/** Builds a contribution with map elements `ADDRESS>CHAIN`, and its own chains with one rule each. */
function contribution(owner: string, elements: readonly string[], chains: readonly string[] = []): TableContribution {
  return {
    owner,
    table: TABLE,
    chains: chains.map((name): Chain => ({ name, rules: [{ statements: [{ kind: 'accept' }] }] })),
    sets: chains.map((name) => map(`set-${name}`)),
    elements: elements.map((text) => {
      const [key = '', chain = ''] = text.split('>')
      return { set: 'ips', element: { key, verdict: { kind: 'goto', chain } } }
    }),
  }
}

function elementsIn({ tables }: NftablesState): readonly string[] {
  const elements = tables.flatMap(({ sets }) => sets.flatMap((set) => set.elements))
  return elements.map(({ key, verdict }) => `${key}>${verdict && 'chain' in verdict ? verdict.chain : verdict?.kind}`)
}

function stateOf(contributions: readonly TableContribution[]): NftablesState {
  return buildNftablesState(FIXED, () => contributions)
}

describe('an nftables state assembled from contributions', () => {
  it.each<[string, readonly TableContribution[], readonly string[], Record<string, string>]>([
    ['has only the fixed elements if there are no contributions', [], ['10.0.0.9>drop'], {}],
    [
      'has the elements of all contributions in their order',
      [contribution('a', ['10.0.0.1>a']), contribution('b', ['10.0.0.2>b'])],
      ['10.0.0.9>drop', '10.0.0.1>a', '10.0.0.2>b'],
      { '10.0.0.1': 'a', '10.0.0.2': 'b' },
    ],
    [
      'has the first of two elements with the same key',
      [contribution('a', ['10.0.0.1>a']), contribution('b', ['10.0.0.1>b', '10.0.0.2>b'])],
      ['10.0.0.9>drop', '10.0.0.1>a', '10.0.0.2>b'],
      { '10.0.0.1': 'a', '10.0.0.2': 'b' },
    ],
    [
      'has the first of two elements with the same key and owner',
      [contribution('a', ['10.0.0.1>one', '10.0.0.1>two'])],
      ['10.0.0.9>drop', '10.0.0.1>one'],
      { '10.0.0.1': 'a' },
    ],
  ])('%s', (_what, contributions, elements, owners) => {
    const state = stateOf(contributions)
    expect(elementsIn(state)).toEqual(elements)
    const found = [...findResourceOwners(state)].map(([id, owner]) => [
      id.replace('nftables ip t element ips ', ''),
      owner,
    ])
    expect(Object.fromEntries(found)).toEqual(owners)
    // Both comparisons, by claims and by state, use the same resources.
    expect(Object.fromEntries(resourcesOf(state))).toEqual(Object.fromEntries(resourcesOf({ tables: state.tables })))
  })

  it('has owned chains and sets after fixed chains and sets, and no elements of missing sets', () => {
    const lost = { ...contribution('b', []), elements: [{ set: 'none', element: { key: '10.0.0.1' } }] }
    const [table] = stateOf([contribution('a', [], ['one', 'two']), lost]).tables
    expect(table?.chains.map(({ name }) => name)).toEqual(['services', 'one', 'two'])
    expect(table?.sets.map(({ name }) => name)).toEqual(['ips', 'set-one', 'set-two'])
    expect(findResourceOwners({ tables: [] })).toEqual(new Map())
  })
})

/** Few keys and names, so that several contributions claim the same one. */
const contributions = fc
  .array(
    fc.tuple(
      fc.array(fc.constantFrom('10.0.0.1>a', '10.0.0.1>b', '10.0.0.2>a', '10.0.0.3>b', '10.0.0.3>c'), { maxLength: 3 }),
      fc.boolean(),
    ),
    { maxLength: 4 },
  )
  .map((items) =>
    items.map(([elements, hasChain], index) => contribution(`o${index}`, elements, hasChain ? [`c${index}`] : [])),
  )

describe('diffNftables for states assembled from contributions', () => {
  it('returns the same changes as for states that have no owners', () => {
    fc.assert(
      fc.property(contributions, contributions, fc.boolean(), (first, second, sharesFirst) => {
        const before = stateOf(first)
        const after = stateOf(sharesFirst ? [...first.slice(0, 1), ...second.slice(1)] : second)
        const patch = { from: '', to: '', changes: diffNftables(before, after).changes }
        const held = resourcesOf(before)
        expect(applyChanges(held, patch)).toEqual(resourcesOf(after))
        expect(applyChanges(resourcesOf(after), invertChanges(patch))).toEqual(held)
        const whole = diffNftables({ tables: before.tables }, { tables: after.tables }).changes
        const textsOf = (changes: readonly unknown[]) => changes.map((change) => JSON.stringify(change)).sort()
        expect(textsOf(patch.changes)).toEqual(textsOf(whole))
      }),
      { numRuns: 100 },
    )
  })

  it('returns no changes if another contribution has the same elements as the removed contribution', () => {
    const one = contribution('a', ['10.0.0.1>x'])
    const before = stateOf([one, contribution('b', ['10.0.0.1>x'])])
    const after = stateOf([contribution('b', ['10.0.0.1>x'])])
    expect(diffNftables(before, after).changes).toEqual([])
  })
})
