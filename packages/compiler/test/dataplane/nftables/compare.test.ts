import { describe, expect, it } from 'vitest'
import { compareNftables } from '../../../src/dataplane/nftables/compare.js'
import type { NftablesState } from '../../../src/dataplane/nftables/state.js'
import { readDump } from '../../support/read-dump.js'

/** The text of the set in `BODY`, without its timeout. */
const SET = 'set s\ntype ipv4_addr\nflags dynamic,timeout'

const BODY = {
  counter: '\tcounter c {\n\t\tpackets 1 bytes 2\n\t}\n',
  quota: '\tquota q {\n\t\tover 1 mbytes\n\t}\n',
  set: '\tset s {\n\t\ttype ipv4_addr\n\t\tflags dynamic,timeout\n\t\ttimeout 1m\n\t}\n',
  map: '\tmap m {\n\t\ttype ipv4_addr : verdict\n\t\telements = { 10.0.0.1 : drop, 10.0.0.2 comment "web" : goto a }\n\t}\n',
  chain: '\tchain a {\n\t\tip saddr { 10.0.0.0/8, 192.168.0.0/16 } accept\n\t\tdrop\n\t}\n',
}

function stateOf(parts: Partial<Record<keyof typeof BODY, string>> = {}): NftablesState {
  const text = `table ip t {\n${Object.values({ ...BODY, ...parts }).join('\n')}}\n`
  return readDump(text).IPv4.nftables ?? { tables: [] }
}

function compared(live: NftablesState, expected = stateOf()) {
  const ownership = { isOwned: () => true, reasonOf: () => 'why' }
  const { driftItems, others, unverified } = compareNftables(expected, live, ownership)
  expect({ others, unverified }).toEqual({ others: [], unverified: [] })
  return driftItems.map(({ kind, location, expected: should, found }) => [
    kind,
    location.replace('nftables ip t', ''),
    should,
    found,
  ])
}

describe('compareNftables', () => {
  it.each<[string, Partial<Record<keyof typeof BODY, string>>]>([
    ['other counter values', { counter: BODY.counter.replace('1 bytes 2', '7 bytes 9') }],
    ['the size of a dynamic set', { set: BODY.set.replace('flags', 'size 65535\n\t\tflags') }],
    [
      'elements in another order',
      {
        map: BODY.map.replace(
          '10.0.0.1 : drop, 10.0.0.2 comment "web" : goto a',
          '10.0.0.2 comment "web" : goto a, 10.0.0.1 : drop',
        ),
      },
    ],
    [
      'ranges in another order or split',
      { chain: BODY.chain.replace('10.0.0.0/8, 192.168.0.0/16', '192.168.0.0/16, 10.0.0.0/9, 10.128.0.0/9') },
    ],
  ])('returns no drift for a table with %s', (_what, parts) => {
    expect(compared(stateOf(parts))).toEqual([])
  })
})

describe('details that older versions of nft do not list', () => {
  const expected = stateOf({
    chain: BODY.chain.replace('{\n', '{\n\t\tcomment "mine"\n'),
    set: BODY.set.replace('timeout 1m\n', 'timeout 1m\n\t\tcomment "mine"\n'),
  })

  it('cause no drift if they are comments of tables, chains, sets and elements, or the flag dynamic', () => {
    const [table] = expected.tables
    const commented: NftablesState = { tables: table === undefined ? [] : [{ ...table, comment: 'mine' }] }
    const set = BODY.set.replace('flags dynamic,timeout', 'size 65535\n\t\tflags timeout')
    expect(compared(stateOf({ set, map: BODY.map.replace(' comment "web"', '') }), commented)).toEqual([])
  })

  it('are restored if the set has another difference', () => {
    const set = BODY.set.replace('dynamic,timeout', 'timeout').replace('1m', '2m')
    const ownership = { isOwned: () => true, reasonOf: () => 'why' }
    const { pairs } = compareNftables(expected, stateOf({ set }), ownership)
    expect(pairs.map(({ after }) => after?.value)).toMatchObject([
      { value: { name: 's', flags: ['dynamic', 'timeout'], timeout: 60_000, comment: 'mine' } },
    ])
  })
})

describe('chains that are equal in both states', () => {
  const filling = { chain: '\tchain a {\n\t\tadd @s { ip saddr }\n\t}\n', map: '' }
  const set = '\tset s {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.1 }\n\t}\n'
  const pairsOf = (actual: NftablesState, expected: NftablesState) =>
    compareNftables(expected, actual, { isOwned: () => true, reasonOf: () => 'why' }).pairs

  it('still determine the size of a set that they fill', () => {
    const [pair, ...others] = pairsOf(
      stateOf({ ...filling, set: set.replace('ipv4_addr\n', 'ipv4_addr\n\t\tflags constant\n') }),
      stateOf({ ...filling, set }),
    )
    expect(others).toEqual([])
    expect(pair?.after?.value).toMatchObject({ value: { name: 's', size: 65_535 } })
  })

  it('are not equal to chains of the same name in another table', () => {
    const [table] = stateOf().tables
    const renamed = { tables: table === undefined ? [] : [{ ...table, name: 'u' }] }
    const ids = pairsOf(renamed, stateOf()).map(({ before, after }) => (before ?? after)?.id)
    expect(ids).toContain('nftables ip t chain a')
    expect(ids).toContain('nftables ip u chain a')
  })
})

describe('compareNftables with output in the listing format of nft', () => {
  it.each<[string, Partial<Record<keyof typeof BODY, string>>, readonly unknown[]]>([
    [
      'a changed chain',
      { chain: BODY.chain.replace('\t\tdrop\n', '') },
      [
        'changed',
        ' chain a',
        'chain a\nip saddr { 10.0.0.0/8, 192.168.0.0/16 } accept\ndrop',
        'chain a\nip saddr { 10.0.0.0/8, 192.168.0.0/16 } accept',
      ],
    ],
    [
      'a changed verdict',
      { map: BODY.map.replace('10.0.0.1 : drop', '10.0.0.1 : accept') },
      ['changed', ' element m 10.0.0.1', 'm 10.0.0.1 : drop', 'm 10.0.0.1 : accept'],
    ],
    [
      'a missing element',
      { map: BODY.map.replace('10.0.0.1 : drop, ', '') },
      ['missing', ' element m 10.0.0.1', 'm 10.0.0.1 : drop', undefined],
    ],
    [
      'a changed set',
      { set: BODY.set.replace('1m', '2m') },
      ['changed', ' set s', `${SET}\ntimeout 1m`, `${SET}\ntimeout 2m`],
    ],
    ['a missing counter', { counter: '' }, ['missing', ' object c', 'counter c', undefined]],
    ['another missing object', { quota: '' }, ['missing', ' object q', 'quota q', undefined]],
  ])('%s', (_what, parts, finding) => {
    expect(compared(stateOf(parts))).toEqual([finding])
  })

  it('reports the hook of a chain, with its policy', () => {
    const [table] = stateOf().tables
    const base = { type: 'filter', hook: 'forward', priority: 0 } as const
    const on = (policy?: 'drop') => {
      const hooked = { name: 'f', base: { ...base, ...(policy && { policy }) }, rules: [] }
      return { tables: [{ ...table, chains: [hooked] }] } as unknown as NftablesState
    }
    expect(compared(on('drop'), on())).toEqual([
      [
        'changed',
        ' chain f',
        'chain f\ntype filter hook forward priority filter; policy accept;',
        'chain f\ntype filter hook forward priority filter; policy drop;',
      ],
    ])
  })

  it('reports a chain, and prints JSON for a statement that has no text form', () => {
    const rule = { statements: [{ kind: 'unknownJson', json: '{"tproxy":null}' }], comment: 'x' } as const
    const [table] = stateOf().tables
    const live = { tables: [{ ...table, chains: [{ name: 'a', rules: [rule] }] }] } as NftablesState
    expect(compared(live)[0]?.[3]).toBe('chain a\n{"tproxy":null} comment "x"')
  })

  it('reports an extra chain, a changed or extra set, and a changed table', () => {
    const more = { chain: `${BODY.chain}\tchain x {\n\t}\n` }
    expect(compared(stateOf(more))).toEqual([['extra', ' chain x', undefined, 'chain x']])
    const flagged = { set: BODY.set.replace('flags dynamic', 'flags constant,dynamic') }
    expect(compared(stateOf(flagged))).toEqual([
      ['changed', ' set s', `${SET}\ntimeout 1m`, `${SET.replace('dynamic', 'dynamic,constant')}\ntimeout 1m`],
    ])
    const untimed = { set: BODY.set.replace('\t\ttimeout 1m\n', '') }
    expect(compared(stateOf(untimed))).toEqual([['changed', ' set s', `${SET}\ntimeout 1m`, SET]])
    const renamed = { map: BODY.map.replace('map m', 'map n') }
    expect(compared(stateOf(renamed))).toEqual([
      ['missing', ' set m', 'map m\ntype ipv4_addr : verdict', undefined],
      ['extra', ' set n', undefined, 'map n\ntype ipv4_addr : verdict'],
    ])
    const [table] = stateOf().tables
    const dormant = { tables: table === undefined ? [] : [{ ...table, flags: ['dormant'] }] }
    expect(compared(dormant)).toEqual([['changed', '', 'table ip t', 'table ip t\nflags dormant']])
  })

  it('reports a missing or extra table without its contents', () => {
    expect(compared({ tables: [] })).toEqual([['missing', '', 'table ip t', undefined]])
    expect(compared(stateOf(), { tables: [] })).toEqual([['extra', '', undefined, 'table ip t']])
  })
})
