import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languageNames, languageOf, languagesIn } from '../../src/dataplane/language-of.js'
import type { NodeState } from '../../src/dataplane/languages.js'
import { liveLanguageOf } from '../../src/dataplane/live-language-of.js'
import { assembleState, changesByLanguage, resourcesOf } from '../../src/dataplane/node-resources.js'
import { idOf } from '../../src/diff/patch.js'
import { diffStates } from '../../src/diff.js'
import { statePairs } from '../support/iptables-states.js'
import { histories } from '../support/ipvs-state-pairs.js'
import { runs } from '../support/runs.js'

/** Of both modes, and some languages alone. */
const states: fc.Arbitrary<NodeState> = fc.oneof(
  histories.map(([state]) => state),
  statePairs.map(([iptables]) => ({ family: iptables.family, iptables })),
  histories.map(([{ family, ipvs, addresses }]) => ({ family, ipvs, addresses })),
)

/** The normal forms of all languages of which the state has something: of others resources tell nothing. */
function canonical(state: NodeState): NodeState {
  const forms = languagesIn(state).flatMap((name) => {
    const language = languageOf(name)
    return language.resources(state[name]).size === 0
      ? []
      : [[name, liveLanguageOf(name).canonical(state[name])] as const]
  })
  return { family: state.family, ...Object.fromEntries(forms) }
}

describe('the resources of a state', () => {
  it('are those of its languages, with different ids, each owned by one', () => {
    fc.assert(
      fc.property(states, (state) => {
        const resources = resourcesOf(state)
        let count = 0
        for (const name of languagesIn(state)) {
          const own = languageOf(name).resources(state[name])
          count += own.size
          for (const [id, resource] of own) {
            expect(resources.get(id)).toEqual(resource)
            expect(languageNames().filter((each) => languageOf(each).owns(id))).toEqual([name])
          }
        }
        expect(resources.size).toBe(count)
      }),
    )
  })

  it('are what it can be put together of again', () => {
    fc.assert(
      fc.property(states, (state) => {
        const assembled = assembleState(resourcesOf(state), state.family)
        expect(canonical(assembled)).toEqual(canonical(state))
        expect(resourcesOf(assembled)).toEqual(resourcesOf(state))
      }),
    )
  })

  it('are none of nothing', () => {
    expect(resourcesOf(undefined)).toEqual(new Map())
    expect(resourcesOf({ family: 'IPv4' })).toEqual(new Map())
    expect(assembleState(new Map(), 'IPv6')).toEqual({ family: 'IPv6' })
  })
})

describe('changesByLanguage', () => {
  it('has all changes, each with its language, in the order given', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const { changes } = diffStates(before, after)
        const sorted = changesByLanguage(changes)
        expect([...sorted.values()].flat()).toHaveLength(changes.length)
        for (const [name, own] of sorted) {
          expect(own).toEqual(changes.filter((change) => languageOf(name).owns(idOf(change))))
        }
      }),
      { numRuns: runs(50) },
    )
  })

  it('knows no other', () => {
    const resource = { id: 'route 10.0.0.0/8', refs: [], value: {} }
    expect(() => changesByLanguage([{ kind: 'create', resource }])).toThrow('This is a bug in kube-rules')
    expect(() => assembleState(new Map([[resource.id, resource]]), 'IPv4')).toThrow('This is a bug in kube-rules')
  })
})
