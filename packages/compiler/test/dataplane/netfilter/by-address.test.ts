import { describe, expect, it } from 'vitest'
import {
  endpointsOfAll,
  indexPlaced,
  type Placed,
  placedAt,
  placesOfAll,
  placesSendingTo,
} from '../../../src/dataplane/netfilter/by-address.js'

const placed = (thing: string, places: readonly string[], isAnywhere = false): Placed<string> => ({
  thing,
  places,
  isAnywhere,
})

const ENDPOINTS: Readonly<Record<string, readonly string[]>> = { a: ['e1', 'e2'], b: ['e2'], c: [], d: ['e3'], e: [] }
const endpointsOf = (thing: string) => ENDPOINTS[thing] ?? []

const [a, b, c, d, e] = [
  placed('a', ['1']),
  placed('b', ['2', '1']),
  placed('c', [], true),
  placed('d', ['3'], true),
  placed('e', ['4']),
]
const first = indexPlaced([a, b, c], endpointsOf)
const second = indexPlaced([d, e], endpointsOf)
const third = indexPlaced([e], endpointsOf)

const thingsOf = (all: readonly Placed<string>[]) => all.map(({ thing }) => thing).join('')

it('things are found by their places and endpoints', () => {
  expect(first.all).toEqual([a, b, c])
  expect([...first.byPlace]).toEqual([
    ['1', [a, b]],
    ['2', [b]],
  ])
  expect([...first.byEndpoint]).toEqual([
    ['e1', [a]],
    ['e2', [a, b]],
  ])
  expect([first.anywhere, third.anywhere]).toEqual([[c], []])
})

describe('places', () => {
  it('of all cannot be told where packets for any address come to one', () => {
    expect([placesOfAll([a, b]), placesOfAll([a, c]), placesOfAll([])]).toEqual([['1', '2', '1'], undefined, []])
  })

  it('that send packets on to addresses are those of the things that do', () => {
    expect(placesSendingTo([first, second], ['e2'])).toEqual(['1', '2', '1'])
    expect(placesSendingTo([first, second], ['e1', 'other'])).toEqual(['1'])
    expect(placesSendingTo([first, second], ['e3'])).toBeUndefined()
    expect(placesSendingTo([first, second], ['other'])).toEqual([])
  })
})

describe('what packets for addresses meet', () => {
  it.each([
    [['1'], 'abcd'],
    [['2'], 'bcd'],
    [['4'], 'cde'],
    [['9'], 'cd'],
    [[], 'cd'],
  ])('%j: %s, in its order', (addresses, things) => {
    expect(thingsOf(placedAt([first, second], new Set(addresses)))).toBe(things)
  })

  it('is nothing where nothing is there', () => {
    expect(placedAt([third], new Set(['1']))).toEqual([])
    expect(thingsOf(placedAt([third], new Set(['4'])))).toBe('e')
  })

  it('sends them on to its endpoints', () => {
    expect(endpointsOfAll([a, c, b], endpointsOf)).toEqual(['e1', 'e2', 'e2'])
  })
})
