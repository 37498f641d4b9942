import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { IptablesState } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import { hasLazyArray } from '../../../../../compiler/src/internal/lazy-array.js'
import { print } from '../../../../../compiler/src/print/print.js'
import { readState } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { cases } from '../../../../../compiler/test/support/clusters.js'
import { compileCase, iptablesStates } from '../../../../../compiler/test/support/compiled.js'
import { fewRuns, isWhole } from '../../../../../compiler/test/support/runs.js'
import { destinationsOfRules } from '../../../../src/dataplane/iptables/matched-destinations.js'
import { lowerIptables } from '../../../../src/dataplane/iptables/program/lower-iptables.js'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import type { Chain, Instruction } from '../../../../src/program/program.js'
import { kernelPacket, NO_SETS } from './packets.js'

/** Returns the instructions that a packet may reach, with those of called chains after the call. */
function instructionsFor(chain: Chain, packet: KernelPacket): readonly string[] {
  return chain.instructionsFor(packet, false).flatMap((each) => [each.condition(), ...calledBy(each, packet)])
}

function calledBy({ effects }: Instruction, packet: KernelPacket): readonly string[] {
  return effects.flatMap((effect) => {
    if (effect.kind !== 'jump' && effect.kind !== 'goto') return []
    const called = effect.chain.resolve()
    return typeof called === 'object' ? instructionsFor(called, packet) : [`no chain ${effect.chain.name}`]
  })
}

/**
 * Returns the instructions of all base chains, in the order of their priorities. The text of a state may contain the
 * tables in a different order, and does not contain empty tables.
 */
function reachedIn(state: IptablesState, packet: KernelPacket): readonly string[] {
  return [...lowerIptables(state, NO_SETS)]
    .sort((a, b) => a.priority - b.priority)
    .flatMap(({ hook, chain }) => instructionsFor(chain, packet).map((instruction) => `${hook}: ${instruction}`))
}

it('a compiled state has the same instructions as its text, although most of its chains are created on demand', () => {
  let compared = 0
  fc.assert(
    fc.property(cases, (each) => {
      for (const state of iptablesStates(compileCase(each))) {
        const { family, tables } = state
        if (!tables.some(hasLazyArray)) continue
        const read = readState(print({ family, iptables: state }, { subsystem: 'iptables', format: 'save' }), family)
        const addresses = [...destinationsOfRules(state)].map(({ address }) => address)
        for (const destination of new Set(['192.0.2.99', ...addresses.slice(0, 5)])) {
          const packet = kernelPacket({ family, destination, destinationPort: 80 })
          const reached = reachedIn(state, packet)
          expect(reached).toEqual(reachedIn(read, packet))
          compared += reached.length
        }
      }
    }),
    { numRuns: fewRuns(100) },
  )
  if (isWhole) expect(compared).toBeGreaterThan(1000)
})
