import { describe, expect, it } from 'vitest'
import { diffNftables } from '../../../../compiler/src/dataplane/nftables/claims.js'
import { buildNftablesState } from '../../../../compiler/src/dataplane/nftables/state.js'
import { tableOf, tablesOf } from '../../../../compiler/test/dataplane/nftables/tables.js'
import { destinationsOfTables } from '../../../src/dataplane/nftables/matched-destinations.js'
import { splitNftablesByOwner } from '../../../src/dataplane/nftables/parts.js'
import { toRuleReference } from '../../../src/view/references.js'
import { step } from '../../program/programs.js'

const inChain = (rule: string) => tablesOf(`table ip t {\n\tchain c {\n\t\t${rule}\n\t}\n}\n`)

const fixedWith = (rule: string) =>
  tableOf(
    `table ip t {\n\tset s {\n\t\ttype ipv4_addr\n\t}\n\n\tset m {\n\t\ttype ipv4_addr\n\t}\n\n\tchain c {\n\t\t${rule}\n\t}\n}\n`,
  )

/**
 * Returns the destinations of the only part of a table, which has elements in one set; undefined if packets to any
 * address may reach its rules.
 */
function placesOf(rule: string, set: string, keys: readonly string[]): readonly string[] | undefined {
  const elements = keys.map((key) => ({ set, element: { key } }))
  const contribution = { owner: 'one', table: { family: 'ip', name: 't' } as const, chains: [], sets: [], elements }
  return splitNftablesByOwner(buildNftablesState(fixedWith(rule), () => [contribution]))?.parts[0]?.destinations
}

describe('a set lookup that does not match on the destination', () => {
  it.each<readonly [string, boolean]>([
    ['ip saddr @s', true],
    ['ip saddr != @s', true],
    ['ip daddr @s', false],
    ['ip6 daddr @s', false],
    ['ip saddr . ip daddr @s', false],
    ['tcp dport @s', true],
    ['meta mark @s', true],
    ['ip saddr 10.0.0.1', false],
    ['ip saddr { 10.0.0.1 }', false],
    ['tcp dport vmap @s', true],
    ['ip daddr . tcp dport vmap @s', false],
    ['tcp dport vmap { 80 : drop }', false],
    ['update @s { ip saddr }', false],
    ['drop', false],
    ['ip daddr @m tcp dport vmap @s', true],
    ['ip saddr @m ip daddr @s', false],
  ])('is found in the rule "%s": %s', (rule, isBlind) => {
    expect(placesOf(rule, 's', ['10.0.0.1'])).toEqual(isBlind ? undefined : ['10.0.0.1'])
  })

  it('is found in every rule of every chain', () => {
    const rules = 'drop\n\t\tip saddr @m\n\t}\n\n\tchain d {\n\t\tip saddr @s'
    expect(['s', 'm', 'other'].map((set) => placesOf(rules, set, ['10.0.0.1']))).toEqual([
      ...[undefined, undefined],
      ['10.0.0.1'],
    ])
  })
})

describe('destinations of elements', () => {
  it.each<readonly [readonly string[], readonly string[] | undefined]>([
    [[], []],
    [['10.0.0.1'], ['10.0.0.1']],
    [
      ['fd00::1 . tcp . 80', '10.0.0.1 . udp . 53'],
      ['fd00::1', '10.0.0.1'],
    ],
    [['10.0.0.1 . 10.0.0.2'], ['10.0.0.1', '10.0.0.2']],
    [['80'], undefined],
    [['10.0.0.1', '80'], undefined],
    [['80', '10.0.0.1'], undefined],
    [['10.0.0.0/8'], undefined],
    [['10.0.0.1', '10.0.0.1 . 80-90'], undefined],
  ])('are found for the keys %j: %j', (keys, places) => {
    expect(placesOf('drop', 's', keys)).toEqual(places)
  })
})

describe('a compiled table', () => {
  const fixed = tableOf(
    'table ip t {\n\tset s {\n\t\ttype ipv4_addr\n\t}\n\n\tset u {\n\t\ttype ipv4_addr\n\t}\n\n\tchain c {\n\t\tip saddr @u\n\t}\n}\n',
  )
  const at = { family: 'ip', name: 't' } as const
  const [chain] = inChain('ip daddr 10.0.0.1 drop').flatMap(({ chains }) => chains)
  const [set] = fixed.sets
  if (chain === undefined || set === undefined) throw new Error('nothing was read')
  const element = (name: string, key: string) => ({ set: name, element: { key } })
  const own = {
    owner: 'one',
    table: at,
    chains: [{ ...chain, name: 'd' }],
    sets: [{ ...set, name: 'v' }],
    elements: [element('s', '10.0.0.1')],
  }
  const blind = {
    owner: 'two',
    table: at,
    chains: [],
    sets: [],
    elements: [element('s', '10.0.0.2'), element('u', '10.0.0.3')],
  }
  const state = buildNftablesState(fixed, () => [own, blind])

  it('is split into parts by owner, each with its destinations', () => {
    const split = splitNftablesByOwner(state)
    const { chains, sets, elements } = own
    expect(split?.shared).toEqual([fixed, { chains: [], sets: [], elements: blind.elements }])
    expect(split?.parts.map(({ value, ...part }) => ({ ...part, value: value() }))).toEqual([
      {
        owners: ['one'],
        source: own,
        destinations: ['10.0.0.1'],
        ports: [],
        names: ['d', 'v'],
        following: 1,
        value: { chains, sets, elements },
      },
    ])
    expect(split?.parts[0]?.source).toBe(own)
    const bySource = { ...own, chains: inChain('ip saddr @s drop').flatMap((table) => table.chains) }
    expect(splitNftablesByOwner(buildNftablesState(fixed, () => [bySource]))?.parts).toEqual([])
    expect(splitNftablesByOwner({ tables: [fixed] })).toBeUndefined()
    expect(splitNftablesByOwner({ tables: [fixed], staticTable: fixed })).toBeUndefined()
    expect(splitNftablesByOwner({ tables: [fixed], contributions: [own] })).toBeUndefined()
  })

  it('contains the destinations of all elements, and the locations of its rules', () => {
    const place = (table: string) => toRuleReference({ ...step(''), table, chain: 'd' }).location
    expect([place('nftables ip t'), place('iptables nat')]).toEqual(['nftables ip t chain d', 'nat/d'])
    expect([...destinationsOfTables(state)]).toEqual(
      ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.1'].map((address) => ({ address, port: undefined })),
    )
    const empty = buildNftablesState(fixed, () => [])
    expect(
      diffNftables(empty, { ...empty, staticTable: undefined, tables: [], contributions: [] }).changes.length,
    ).toBe(4)
  })
})
