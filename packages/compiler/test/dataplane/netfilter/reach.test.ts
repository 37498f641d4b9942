import { expect, it } from 'vitest'
import {
  addReach,
  LOCAL,
  NOWHERE,
  type Ports,
  type Reach,
  reachOfAddresses,
  reachOfLeads,
  remembered,
  sharePorts,
  TO_LOCAL,
  uniteReaches,
} from '../../../src/dataplane/netfilter/reach.js'

const some = (...ports: readonly string[]): Ports => new Set(ports)

it('packets to addresses are for all ports, or for some', () => {
  const reach = new Map(reachOfAddresses(['1', '2']))
  expect([...reach]).toEqual([
    ['1', 'all'],
    ['2', 'all'],
  ])
  addReach(reach, '1', some('80'))
  addReach(reach, '3', some('80'))
  addReach(reach, '3', some('81'))
  expect([reach.get('1'), reach.get('3')]).toEqual(['all', some('80', '81')])
  addReach(reach, '3', 'all')
  expect(reach.get('3')).toBe('all')
})

it('packets of several kinds are all of these, if they can be told', () => {
  const [a, b]: Reach[] = [reachOfAddresses(['1']), new Map([['2', some('80')]])]
  expect(uniteReaches([a, b])).toEqual(
    new Map<string, Ports>([
      ['1', 'all'],
      ['2', some('80')],
    ]),
  )
  expect([uniteReaches([a, undefined]), uniteReaches([])]).toEqual([undefined, NOWHERE])
})

it.each<[Ports, Ports, boolean]>([
  ['all', 'all', true],
  ['all', some('80'), true],
  [some('80'), 'all', true],
  [some('80', '81'), some('81'), true],
  [some('80'), some('81'), false],
  [some(), some('81'), false],
])('ports %j and %j have some in common: %s', (ports, others, expected) => {
  expect(sharePorts(ports, others)).toBe(expected)
})

it('packets come to what rules lead to', () => {
  const roots = new Map<string, Reach | undefined>([
    ['INPUT', TO_LOCAL],
    ['OUTPUT', undefined],
  ])
  const reachOf = reachOfLeads(
    [
      { from: 'INPUT', to: 'checks', takes: undefined },
      { from: 'checks', to: 'deeper', takes: undefined },
      { from: 'deeper', to: 'checks', takes: undefined },
      { from: 'OUTPUT', to: 'ports', takes: TO_LOCAL },
      { from: 'OUTPUT', to: 'ports', takes: reachOfAddresses(['1']) },
      { from: 'INPUT', to: 'both', takes: undefined },
      { from: 'OUTPUT', to: 'both', takes: undefined },
      { from: 'INPUT', to: 'OUTPUT', takes: undefined },
    ],
    roots,
  )
  expect(['INPUT', 'OUTPUT', 'checks', 'deeper', 'both', 'nothing'].map(reachOf)).toEqual([
    ...[TO_LOCAL, undefined, TO_LOCAL, TO_LOCAL, undefined, NOWHERE],
  ])
  expect([...(reachOf('ports')?.keys() ?? [])]).toEqual([LOCAL, '1'])
})

it('what has a name is looked up once', () => {
  const asked: string[] = []
  const reachOf = remembered((name) => {
    asked.push(name)
    return name === 'x' ? undefined : NOWHERE
  })
  expect(['x', 'y', 'x', 'y'].map(reachOf)).toEqual([undefined, NOWHERE, undefined, NOWHERE])
  expect(asked).toEqual(['x', 'y'])
})
