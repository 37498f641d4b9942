import { describe, expect, it } from 'vitest'
import {
  endpointsOfAll,
  indexPlaced,
  type Placed,
  type PlaceReading,
  placedAt,
  reachOfAll,
  reachSendingTo,
  type Within,
} from '../../../src/dataplane/netfilter/by-address.js'
import { LOCAL, type Ports, type Reach, reachOfAddresses, TO_LOCAL } from '../../../src/dataplane/netfilter/reach.js'

const placed = (thing: string, places: readonly string[], within: readonly Within[] = []): Placed<string> => ({
  ...{ thing, places, within },
  isAnywhere: thing === thing.toUpperCase(),
})

const ENDPOINTS: Readonly<Record<string, readonly string[]>> = {
  a: ['e1', 'e2'],
  b: ['e2'],
  d: ['127.0.0.9'],
  D: ['e3'],
}
const endpointsOf = (thing: string) => ENDPOINTS[thing] ?? []

const [a, b, C, D, e, d] = [
  placed('a', ['1']),
  placed('b', ['2', '1']),
  placed('C', []),
  placed('D', ['3']),
  placed('e', ['4']),
  placed('d', ['127.0.0.1', '5']),
] as const
const [onNode, atPort, atPlace, lost] = [
  placed('n', [], [{ name: 'node' }]),
  placed('p', ['6'], [{ name: 'node', port: '80' }]),
  placed('q', [], [{ name: 'place', port: '80' }]),
  placed('l', [], [{ name: 'anything', port: '80' }]),
] as const
const first = indexPlaced([a, b, C], endpointsOf)
const second = indexPlaced([D, e], endpointsOf)
const third = indexPlaced([e, d], endpointsOf)
const named = indexPlaced([onNode, atPort, atPlace, lost], endpointsOf)

/** At 4 there is the port 443 alone. */
const READING: PlaceReading<string> = {
  reachOf: (name) => ({ node: TO_LOCAL, place: reachOfAddresses(['7']), lo: reachOfAddresses(['127.0.0.1']) })[name],
  portsAt: (_, place) => (place === '4' ? new Set(['443']) : 'all'),
}

const thingsOf = (all: readonly Placed<string>[]) => all.map(({ thing }) => thing).join('')
const textOf = (reach: Reach | undefined) =>
  reach && Array.from(reach, ([place, ports]) => `${place}:${ports === 'all' ? '*' : [...ports]}`)

it('things are found by their places, endpoints and names', () => {
  expect(first.all).toEqual([a, b, C])
  expect([...first.byPlace]).toEqual([
    ['1', [a, b]],
    ['2', [b]],
  ])
  expect([...first.byEndpoint]).toEqual([
    ['e1', [a]],
    ['e2', [a, b]],
  ])
  expect([first.anywhere, third.anywhere]).toEqual([[C], []])
  expect([...named.byName]).toEqual([
    ['node', [onNode, atPort]],
    ['place', [atPlace]],
    ['anything', [lost]],
  ])
})

it('a loopback address is one of the node', () => {
  expect([third.byPlace.get(LOCAL), third.byEndpoint.get(LOCAL)]).toEqual([[d], [d]])
  expect(first.byPlace.has(LOCAL)).toBe(false)
})

describe('the packets that come', () => {
  it('to things cannot be told where packets for any address do', () => {
    const texts = [[a, b], [a, C], [], [e]].map((all) => textOf(reachOfAll(all, READING)))
    expect(texts).toEqual([['1:*', '2:*'], undefined, [], ['4:443']])
  })

  it('by something with a name are those that come to that, for the port', () => {
    const texts = [[atPort], [onNode, atPort], [atPlace], [lost]].map((all) => textOf(reachOfAll(all, READING)))
    expect(texts).toEqual([['6:*', 'local:80'], ['local:*', '6:*'], ['7:80'], undefined])
  })

  it('to things that send them on to addresses are those of these', () => {
    const sending = (to: readonly string[]) => textOf(reachSendingTo([first, second], reachOfAddresses(to), READING))
    expect([sending(['e2']), sending(['e1', 'other']), sending(['other'])]).toEqual([['1:*', '2:*'], ['1:*'], []])
    expect(sending(['e3'])).toBeUndefined()
  })
})

describe('what packets for addresses meet', () => {
  it.each([
    [['1'], 'abCD'],
    [['2'], 'bCD'],
    [['4'], 'CDe'],
    [['9'], 'CD'],
    [[], 'CD'],
  ])('%j: %s, in its order', (addresses, things) => {
    expect(thingsOf(placedAt([first, second], reachOfAddresses(addresses), READING))).toBe(things)
  })

  it.each<[string, Ports, string]>([
    ['4', new Set(['443', '80']), 'e'],
    ['4', new Set(['80']), ''],
    ['5', new Set(['80']), 'd'],
    [LOCAL, new Set(['80']), 'd'],
  ])('at %s, ports %j: %s', (address, ports, things) => {
    expect(thingsOf(placedAt([third], new Map([[address, ports]]), READING))).toBe(things)
  })

  it.each<[string, Ports, string]>([
    [LOCAL, 'all', 'npl'],
    [LOCAL, new Set(['80']), 'npl'],
    [LOCAL, new Set(['81']), 'nl'],
    ['6', 'all', 'pl'],
    ['7', 'all', 'ql'],
    ['7', new Set(['81']), 'l'],
    ['8', 'all', 'l'],
  ])('at %s, ports %j, is there by name: %s', (address, ports, things) => {
    expect(thingsOf(placedAt([named], new Map([[address, ports]]), READING))).toBe(things)
  })

  it('at addresses of the node is what is there by the name of a loopback one', () => {
    const here = placed('h', [], [{ name: 'lo', port: '80' }])
    const at = (packets: Reach) => thingsOf(placedAt([indexPlaced([here], endpointsOf)], packets, READING))
    expect([at(TO_LOCAL), at(reachOfAddresses(['127.0.0.1'])), at(reachOfAddresses(['127.0.0.2']))]).toEqual([
      ...['h', 'h', ''],
    ])
  })

  it('is nothing where nothing is there', () => {
    expect(placedAt([third], reachOfAddresses(['1']), READING)).toEqual([])
    expect(thingsOf(placedAt([third], reachOfAddresses(['4']), READING))).toBe('e')
  })

  it('sends them on to its endpoints', () => {
    expect(endpointsOfAll([a, C, b], endpointsOf)).toEqual(['e1', 'e2', 'e2'])
  })
})
