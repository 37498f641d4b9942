import { familyOf } from '@kube-rules/types/internal/ip'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAddressLines } from '../../../../analyzer/src/dataplane/addresses/parse.js'
import { LOWERINGS } from '../../../../analyzer/src/trace/lowerings.js'
import type { AddressContribution, AddressState } from '../../../src/dataplane/addresses/ast.js'
import { buildAddressState, diffAddresses, findAddressOwners } from '../../../src/dataplane/addresses/claims.js'
import { printIpBatch } from '../../../src/dataplane/addresses/print.js'
import { assembleAddresses, formatAddressId, resourcesOf } from '../../../src/dataplane/addresses/resources.js'
import { toAddressCommands } from '../../../src/dataplane/addresses/script.js'
import { applyChanges, invertChanges } from '../../../src/patch/patch.js'
import { checkAddresses } from '../../support/check-addresses.js'
import { dumpLines } from './dump-lines.js'

function stateOf(contributions: readonly AddressContribution[]) {
  return buildAddressState(() => contributions)
}

function canonical({ addresses }: AddressState): AddressState {
  return { addresses: [...new Set(addresses)].sort() }
}

/** Few addresses, so that states share them. The order of the addresses as numbers differs from their order as texts. */
const address = fc.oneof(
  fc.constantFrom('10.0.0.9', '10.0.0.10', '10.0.0.100', '9.0.0.1'),
  fc.constantFrom('fd00::9', 'fd00::10', '2001:db8::1'),
)
const states: fc.Arbitrary<AddressState> = fc.array(address, { maxLength: 8 }).map((addresses) => ({ addresses }))
const contributions: fc.Arbitrary<readonly AddressContribution[]> = fc.array(
  fc.record({ owner: fc.constantFrom('a', 'b', 'c'), boundAddresses: fc.array(address, { maxLength: 4 }) }),
  { maxLength: 4 },
)

function resources(state: AddressState | undefined) {
  return state === undefined ? new Map() : resourcesOf(state)
}

describe('an arbitrary state of the device kube-ipvs0', () => {
  it('can be assembled from its resources', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(canonical(assembleAddresses(resourcesOf(state)))).toEqual(canonical(state))
        expect(resourcesOf(assembleAddresses(resourcesOf(state)))).toEqual(resourcesOf(state))
      }),
    )
  })

  it('for each family equals the state that is parsed from its printed text', () => {
    fc.assert(
      fc.property(states, (state) => {
        const { states: read, problems } = readAddressLines(dumpLines(printIpBatch(state)))
        expect(problems).toEqual([])
        for (const family of ['IPv4', 'IPv6'] as const) {
          const own = state.addresses.filter((each) => familyOf(each) === family)
          expect(read[family]).toEqual(canonical({ addresses: own }))
        }
      }),
    )
  })

  it('has an idempotent canonical form that the kernel accepts', () => {
    fc.assert(
      fc.property(states, (state) => {
        const once = canonical(state)
        expect(canonical(once)).toEqual(once)
        expect(checkAddresses(once)).toEqual([])
        expect(resourcesOf(once)).toEqual(resourcesOf(state))
      }),
    )
  })

  it('binds the addresses of the state, and no others', () => {
    fc.assert(
      fc.property(states, address, (state, text) => {
        expect(LOWERINGS.addresses.boundAddresses?.(state).has(text)).toBe(state.addresses.includes(text))
      }),
    )
  })
})

describe('address states of arbitrary Services', () => {
  it('have each address once, in code-unit order, with its first owner', () => {
    fc.assert(
      fc.property(contributions, (list) => {
        const state = stateOf(list)
        const all = list.flatMap(({ boundAddresses }) => boundAddresses)
        expect(state.addresses).toEqual(all.filter((each, index) => all.indexOf(each) === index).sort())
        expect(findAddressOwners(state)).toEqual(
          new Map(
            state.addresses.map((each) => [
              formatAddressId(each),
              list.find(({ boundAddresses }) => boundAddresses.includes(each))?.owner,
            ]),
          ),
        )
      }),
    )
  })

  it('have the same diff with owners as without owners', () => {
    const given = fc.oneof({ weight: 4, arbitrary: contributions.map(stateOf) }, fc.constant(undefined))
    fc.assert(
      fc.property(given, given, (before, after) => {
        const patch = diffAddresses(before, after)
        expect(applyChanges(resources(before), patch)).toEqual(resources(after))
        expect(applyChanges(resources(after), invertChanges(patch))).toEqual(resources(before))
        const plain = diffAddresses(before && canonical(before), after && canonical(after))
        expect(new Set(patch.changes)).toEqual(new Set(plain.changes))
      }),
    )
  })
})

describe('toAddressCommands', () => {
  it('transforms one device state into another, and binds new addresses first', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const commands = toAddressCommands(diffAddresses(before, after).changes)
        const lines = commands.flatMap(({ command }) => command.input.split('\n').slice(0, -1))
        const held = new Set(before.addresses)
        for (const line of lines) {
          const [, command, bound = ''] = /^address (add|del) (\S+)\/(?:32|128) dev kube-ipvs0$/.exec(line) ?? []
          expect(held.has(bound)).toBe(command === 'del')
          if (command === 'add') held.add(bound)
          else held.delete(bound)
        }
        expect(held).toEqual(new Set(after.addresses))
        const phases = commands.map(({ phase }) => phase)
        expect(phases).toEqual((['provide', 'switch', 'withdraw'] as const).filter((phase) => phases.includes(phase)))
      }),
    )
  })
})
