import { describe, expect, it } from 'vitest'
import { nftablesLanguage } from '../../../src/dataplane/nftables/language.js'
import { liveNftablesLanguage } from '../../../src/dataplane/nftables/live-language.js'
import { partsOfContributions } from '../../../src/dataplane/nftables/parts.js'
import {
  areAskedByDestination,
  placesOfElements,
  setsAskedWithoutDestination,
} from '../../../src/dataplane/nftables/places-of-elements.js'
import { stateOfContributions } from '../../../src/dataplane/nftables/state.js'
import { chunkedList } from '../../../src/internal/chunked-list.js'
import { tableOf, tablesOf } from './tables.js'

const inChain = (rule: string) => tablesOf(`table ip t {\n\tchain c {\n\t\t${rule}\n\t}\n}\n`)

describe('the sets that rules look into without a look at the destination', () => {
  it.each<readonly [string, readonly string[]]>([
    ['ip saddr @s', ['s']],
    ['ip saddr != @s', ['s']],
    ['ip daddr @s', []],
    ['ip6 daddr @s', []],
    ['ip saddr . ip daddr @s', []],
    ['tcp dport @s', ['s']],
    ['meta mark @s', ['s']],
    ['ip saddr 10.0.0.1', []],
    ['ip saddr { 10.0.0.1 }', []],
    ['tcp dport vmap @m', ['m']],
    ['ip daddr . tcp dport vmap @m', []],
    ['tcp dport vmap { 80 : drop }', []],
    ['update @s { ip saddr }', []],
    ['drop', []],
    ['ip daddr @places tcp dport vmap @ports ip saddr @clients meta mark @ports', ['ports', 'clients']],
  ])('%s', (rule, sets) => {
    expect([...setsAskedWithoutDestination(inChain(rule))]).toEqual(sets)
    expect([...setsAskedWithoutDestination([...inChain('ip saddr @first'), ...inChain(rule)])]).toEqual([
      'first',
      ...sets,
    ])
  })

  it('are told of all rules of all chains', () => {
    const text = 'table ip t {\n\tchain c {\n\t\tdrop\n\t\tip saddr @a\n\t}\n\n\tchain d {\n\t\tip saddr @b\n\t}\n}\n'
    expect([...setsAskedWithoutDestination(tablesOf(text))]).toEqual(['a', 'b'])
    expect(setsAskedWithoutDestination([]).size).toBe(0)
  })

  it('have none of the elements, or some', () => {
    const among = (filled: readonly string[], blind: readonly string[]) =>
      areAskedByDestination(new Set(filled), new Set(blind))
    expect([among(['a'], []), among([], ['a']), among(['a'], ['b']), among(['a', 'b'], ['c', 'b'])]).toEqual([
      ...[true, true, true],
      false,
    ])
  })
})

describe('the places of elements', () => {
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
  ])('%j: %j', (keys, places) => {
    expect(placesOfElements(keys.map((key) => ({ set: 's', element: { key } })))).toEqual(places)
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
  const state = stateOfContributions(fixed, () => chunkedList([own, blind]))

  it('is given in parts, each with the places where it is asked for', () => {
    const told = partsOfContributions(state)
    const { chains, sets, elements } = own
    expect(told?.shared).toEqual([fixed, { chains: [], sets: [], elements: blind.elements }])
    expect(told?.parts.map(({ value, ...part }) => ({ ...part, value: value() }))).toEqual([
      {
        owner: 'one',
        madeOf: own,
        places: ['10.0.0.1'],
        names: ['d', 'v'],
        behind: 1,
        value: { chains, sets, elements },
      },
    ])
    expect(told?.parts[0]?.madeOf).toBe(own)
    const asking = { ...own, chains: inChain('ip saddr @s drop').flatMap((table) => table.chains) }
    expect(partsOfContributions(stateOfContributions(fixed, () => chunkedList([asking])))?.parts).toEqual([])
    expect(partsOfContributions({ tables: [fixed] })).toBeUndefined()
    expect(partsOfContributions({ tables: [fixed], fixed })).toBeUndefined()
    expect(partsOfContributions({ tables: [fixed], contributions: [own] })).toBeUndefined()
  })

  it('has places, and lines that are told of', () => {
    expect(liveNftablesLanguage.printedBy).toBe('nft list ruleset')
    expect(liveNftablesLanguage.placeOf?.({ by: 'nftables ip t', chain: 'd' } as never)).toBe('nftables ip t chain d')
    expect(liveNftablesLanguage.placeOf?.({ by: 'iptables nat', chain: 'd' } as never)).toBeUndefined()
    expect([...(liveNftablesLanguage.places?.(state) ?? [])]).toEqual(
      ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.1'].map((address) => ({ address, port: undefined })),
    )
    const empty = stateOfContributions(fixed, () => chunkedList([]))
    expect(
      nftablesLanguage.diff(empty, { ...empty, fixed: undefined, tables: [], contributions: [] }).changes.length,
    ).toBe(4)
  })
})
