import { describe, expect, it } from 'vitest'
import { STATE_PARTITIONERS } from '../../../../analyzer/src/compare/state-partition.js'
import type { LineFactory } from '../../../../analyzer/src/dataplane/netfilter/line-origin.js'
import { DUMP_READERS } from '../../../../analyzer/src/dump/dump-readers.js'
import { LOWERINGS } from '../../../../analyzer/src/trace/lowerings.js'
import { LINE_PRINTERS } from '../../../../analyzer/src/view/printed-lines.js'
import { COMMAND_WRITERS } from '../../../src/commands/command-writers.js'
import { removalBehaviorOf } from '../../../src/commands/ipvs-versions.js'
import type { AddressContribution, AddressState } from '../../../src/dataplane/addresses/ast.js'
import { buildAddressState, diffAddresses, findAddressOwners } from '../../../src/dataplane/addresses/claims.js'
import { compareAddresses } from '../../../src/dataplane/addresses/compare.js'
import { TOOL_NAMES } from '../../../src/dataplane/tool-names.js'
import { resourceIdOf } from '../../../src/patch/patch.js'
import { createAddressOwnership } from '../../../src/targets/ipvs/ownership.js'

/** Builds a state from claims: in `a 10.0.0.1 10.0.0.2`, `a` claims both addresses. */
function stateOf(...wishes: readonly string[]): AddressState {
  const contributions = wishes.map((wish): AddressContribution => {
    const [owner = '', ...boundAddresses] = wish.split(' ')
    return { owner, boundAddresses }
  })
  return buildAddressState(() => contributions)
}

describe('the expected addresses of kube-ipvs0', () => {
  it('are distinct and sorted, each with its first owner', () => {
    const state = stateOf('b 10.0.0.2 10.0.0.10', 'a 10.0.0.2 10.0.0.1', 'c')
    expect(state.addresses).toEqual(['10.0.0.1', '10.0.0.10', '10.0.0.2'])
    expect(findAddressOwners(state)).toEqual(
      new Map([
        ['address 10.0.0.2', 'b'],
        ['address 10.0.0.10', 'b'],
        ['address 10.0.0.1', 'a'],
      ]),
    )
    expect(findAddressOwners({ addresses: ['10.0.0.1'] })).toEqual(new Map())
  })

  it('are printed as lines with owners and locations', () => {
    const state = stateOf('a 10.0.0.1', 'b fd00::1')
    const make: LineFactory<string> = (line, { owner, location }) => [line, owner, location].join(' | ')
    const lines = LINE_PRINTERS.addresses.linesOf(state, { format: 'restore', backend: 'nft' }, make, new WeakMap())
    expect(lines).toEqual([
      'link add kube-ipvs0 type dummy |  | device kube-ipvs0',
      'address add 10.0.0.1/32 dev kube-ipvs0 | a | address 10.0.0.1',
      'address add fd00::1/128 dev kube-ipvs0 | b | address fd00::1',
    ])
  })
})

describe('diffAddresses', () => {
  it('returns the changes between two states', () => {
    const { changes } = diffAddresses(stateOf('a 10.0.0.1'), stateOf('a 10.0.0.2'))
    const text = changes.map((change) => `${change.kind} ${resourceIdOf(change)}`)
    expect([...text].sort()).toEqual(['create address 10.0.0.2', 'delete address 10.0.0.1'])
  })
})

describe('compareAddresses', () => {
  const found = (expected: AddressState, live: AddressState) =>
    compareAddresses(expected, live, createAddressOwnership([], removalBehaviorOf('1.30'))).driftItems.map(
      ({ kind, owner, location, expected: should, found: does }) => [kind, owner, location, should, does].join(' | '),
    )

  it('reports missing and extra addresses', () => {
    expect(found(stateOf('a 10.0.0.1 10.0.0.2'), { addresses: ['10.0.0.2', 'fd00::9'] })).toEqual([
      'missing | a | address 10.0.0.1 | 10.0.0.1/32 | ',
      'extra |  | address fd00::9 |  | fd00::9/128',
    ])
  })

  it.each([
    [true, ['a 10.0.0.1'], [], ['device kube-ipvs0', 'address 10.0.0.1']],
    [undefined, ['a 10.0.0.1'], [], ['address 10.0.0.1']],
    [true, ['a 10.0.0.1'], ['10.0.0.2'], ['address 10.0.0.2', 'address 10.0.0.1']],
    [true, [], [], []],
  ])(
    'includes the device only if the dump has no addresses and is complete (complete: %s)',
    (isComplete, expected, live, ids) => {
      const ownership = { ...createAddressOwnership([], removalBehaviorOf('1.30')), ...(isComplete && { isComplete }) }
      const { pairs } = compareAddresses(stateOf(...expected), { addresses: live }, ownership)
      expect(pairs.map(({ before, after }) => (before ?? after)?.id).sort()).toEqual([...ids].sort())
    },
  )
})

describe('the address subsystem', () => {
  it.each([
    ['link add kube-ipvs0 type dummy', 'line'],
    ['address add 10.0.0.1/32 dev kube-ipvs0', 'line'],
    ['address replace fd00::1/128 dev kube-ipvs0', 'line'],
    ['7: kube-ipvs0    inet 10.0.0.1/32 scope global kube-ipvs0', 'line'],
    ['address add 10.0.0.1/32 dev eth0', undefined],
    ['address add 10.0.0.1/32 dev kube-ipvs0 label x', undefined],
    ['x address add 10.0.0.1/32 dev kube-ipvs0', undefined],
    ['7: eth0    inet 10.0.0.1/32 scope global kube-ipvs0', undefined],
    ['link add kube-ipvs0 type dummy2', undefined],
  ])('recognizes the dump line "%s": %s', (line, ends) => {
    expect(DUMP_READERS.addresses.begins(line)).toBe(ends)
  })

  it('determines the local addresses and lists them as destinations', () => {
    const state = stateOf('a 10.0.0.2 10.0.0.1')
    expect([...(LOWERINGS.addresses.boundAddresses?.(state) ?? [])].sort()).toEqual(['10.0.0.1', '10.0.0.2'])
    expect([...STATE_PARTITIONERS.addresses.destinations(state)]).toEqual([
      { address: '10.0.0.1' },
      { address: '10.0.0.2' },
    ])
  })

  it('does not handle packets', () => {
    const state = stateOf('a 10.0.0.1')
    expect(LOWERINGS.addresses.lower).toBeUndefined()
    expect(STATE_PARTITIONERS.addresses.partsOf(state, false)).toEqual({ shared: [], parts: [] })
  })

  it('names the ip command that prints all addresses', () => {
    expect(TOOL_NAMES.addresses).toMatchObject({
      printedBy: 'ip -o address show dev kube-ipvs0',
      contents: 'addresses',
    })
    expect(COMMAND_WRITERS.addresses.appliesByLine).toBe(false)
  })
})
