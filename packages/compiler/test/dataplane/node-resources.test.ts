import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assembleState,
  groupChangesBySubsystem,
  resourcesOf,
  resourcesOfSubsystem,
} from '../../src/dataplane/node-resources.js'
import { type NodeState, presentSubsystemsOf, SUBSYSTEMS } from '../../src/dataplane/node-state.js'
import { SUBSYSTEM_RESOURCES } from '../../src/dataplane/resource-conversions.js'
import { diffStates } from '../../src/diff/diff.js'
import { resourceIdOf } from '../../src/patch/patch.js'
import { statePairs } from '../support/iptables-states.js'
import { histories } from '../support/ipvs-state-pairs.js'
import { runs } from '../support/runs.js'
import { normalForm } from '../support/subsystems.js'

/** Generates states of both modes, and of some subsystems alone. */
const states: fc.Arbitrary<NodeState> = fc.oneof(
  histories.map(([state]) => state),
  statePairs.map(([iptables]) => ({ family: iptables.family, iptables })),
  histories.map(([{ family, ipvs, addresses }]) => ({ family, ipvs, addresses })),
)

/** Returns the normal forms of all non-empty subsystems. Empty subsystems have no resources. */
function canonical(state: NodeState): NodeState {
  const forms = presentSubsystemsOf(state).flatMap((name) => {
    return resourcesOfSubsystem(name, state).size === 0 ? [] : [[name, normalForm(name, state[name])] as const]
  })
  return { family: state.family, ...Object.fromEntries(forms) }
}

describe('the resources of a state', () => {
  it('are the resources of its subsystems, and each belongs to exactly one subsystem', () => {
    fc.assert(
      fc.property(states, (state) => {
        const resources = resourcesOf(state)
        let count = 0
        for (const name of presentSubsystemsOf(state)) {
          const own = resourcesOfSubsystem(name, state)
          count += own.size
          for (const [id, resource] of own) {
            expect(resources.get(id)).toEqual(resource)
            expect(SUBSYSTEMS.filter((each) => SUBSYSTEM_RESOURCES[each].owns(id))).toEqual([name])
          }
        }
        expect(resources.size).toBe(count)
      }),
    )
  })

  it('can be assembled to the same state', () => {
    fc.assert(
      fc.property(states, (state) => {
        const assembled = assembleState(resourcesOf(state), state.family)
        expect(canonical(assembled)).toEqual(canonical(state))
        expect(resourcesOf(assembled)).toEqual(resourcesOf(state))
      }),
    )
  })

  it('are absent if the state is empty or missing', () => {
    expect(resourcesOf(undefined)).toEqual(new Map())
    expect(resourcesOf({ family: 'IPv4' })).toEqual(new Map())
    expect(assembleState(new Map(), 'IPv6')).toEqual({ family: 'IPv6' })
  })
})

describe('groupChangesBySubsystem', () => {
  it('returns every change of each subsystem, in the order of its input', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const { changes } = diffStates(before, after)
        const sorted = groupChangesBySubsystem(changes)
        expect([...sorted.values()].flat()).toHaveLength(changes.length)
        for (const [name, own] of sorted) {
          expect(own).toEqual(changes.filter((change) => SUBSYSTEM_RESOURCES[name].owns(resourceIdOf(change))))
        }
      }),
      { numRuns: runs(50) },
    )
  })

  it('throws a bug report for a resource that belongs to no subsystem', () => {
    const resource = { id: 'route 10.0.0.0/8', refs: [], value: {} }
    expect(() => groupChangesBySubsystem([{ kind: 'create', resource }])).toThrow('This is a bug in kube-rules')
    expect(() => assembleState(new Map([[resource.id, resource]]), 'IPv4')).toThrow('This is a bug in kube-rules')
  })
})
