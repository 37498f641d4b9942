import type { IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../compiler/src/compilation/compile.js'
import type { CompileResult } from '../../compiler/src/compilation/compile-result.js'
import { canonicalize as canonicalSets } from '../../compiler/src/dataplane/ipset/canonical.js'
import { canonicalizeState as canonicalTables } from '../../compiler/src/dataplane/nftables/compare.js'
import { type NodeState, SUBSYSTEMS, type Subsystem } from '../../compiler/src/dataplane/node-state.js'
import {
  applyPatch,
  assembleStates,
  diff,
  invertPatch,
  type NodeResources,
  toResources,
} from '../../compiler/src/diff/diff.js'
import { print } from '../../compiler/src/print/print.js'
import { PROXY_MODES } from '../../compiler/src/targets/modes.js'
import { type Case, cases, optionsOfMode, understoodCluster } from '../../compiler/test/support/clusters.js'
import { compileCase } from '../../compiler/test/support/compiled.js'
import { histories } from '../../compiler/test/support/edits.js'
import { readDump } from '../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole, runs } from '../../compiler/test/support/runs.js'
import { normalForm } from '../../compiler/test/support/subsystems.js'
import { dns } from '../../compiler/test/support/web-results.js'
import { withoutComments } from '../../compiler/test/support/without-comments.js'

// States are data: their contents can be changed, reassembled, printed and read back, in any mode.

type Result = CompileResult | undefined

/** Generates cases of all modes in equal shares. */
const casesOfEachMode: fc.Arbitrary<Case> = fc.tuple(cases, fc.constantFrom(...PROXY_MODES)).map(([given, mode]) => {
  const options = optionsOfMode(given.options, mode)
  return { cluster: understoodCluster(given.cluster, options), options }
})

/** Generates results of one mode or of two; the second often builds on the first, and either may be undefined. */
const pairs: fc.Arbitrary<readonly [Result, Result]> = fc.oneof(
  {
    weight: 3,
    arbitrary: histories.map(({ inputs: [first, second], options }): readonly [Result, Result] => {
      const before = first && compile(first, options)
      return [before, second && compile(second, { ...options, previous: before })]
    }),
  },
  {
    weight: 12,
    arbitrary: fc.tuple(casesOfEachMode, casesOfEachMode).map(([a, b]) => [compileCase(a), compileCase(b)] as const),
  },
  { weight: 3, arbitrary: casesOfEachMode.map((one) => [undefined, compileCase(one)] as const) },
  { weight: 3, arbitrary: casesOfEachMode.map((one) => [compileCase(one), undefined] as const) },
)

function statesOf(result: Result): readonly NodeState[] {
  return result?.families.map(({ state }) => state) ?? []
}

/** Prints states as the tools do, in each subsystem, without comments of nft; empty subsystems have no text. */
function saved(states: readonly NodeState[]): ReadonlyMap<string, string> {
  const texts = states.flatMap((state) =>
    SUBSYSTEMS.map((subsystem) => {
      const text = print(state, { subsystem, format: 'save' })
      const plain = subsystem === 'nftables' ? text.replace(/ comment "[^"\n]*"/g, '') : text
      return [`${state.family} ${subsystem}`, plain] as const
    }),
  )
  return new Map(texts.filter(([, text]) => text !== ''))
}

/** Removes empty families and comments. */
function filled(held: NodeResources): NodeResources {
  return withoutComments(new Map([...held].filter(([, own]) => own.size > 0)))
}

function changeOf(before: Result, after: Result): string {
  return `${before?.mode ?? 'nothing'} to ${after?.mode ?? 'nothing'}`
}

const STATES = ['nothing', ...PROXY_MODES]
const EVERY_CHANGE = STATES.flatMap((before) => STATES.map((after) => `${before} to ${after}`))
  .filter((change) => change !== 'nothing to nothing')
  .sort()

describe('a patch between node states', () => {
  it('produces the state of the new mode, and its inverse restores the original state', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        seen.add(changeOf(before, after))
        const held = toResources(statesOf(before))
        const patch = diff(before, after)
        const changed = applyPatch(held, patch)
        // Sets and chains are in creation order.
        expect(saved(assembleStates(changed).map(inOrder))).toEqual(saved(statesOf(after).map(inOrder)))
        const undone = applyPatch(changed, invertPatch(patch))
        expect(filled(undone)).toEqual(filled(held))
        expect(saved(assembleStates(undone).map(inOrder))).toEqual(saved(statesOf(before).map(inOrder)))
        expect(filled(applyPatch(undone, patch))).toEqual(filled(changed))
      }),
      { numRuns: fewRuns(480) },
    )
    if (isWhole) expect([...seen].sort()).toEqual(EVERY_CHANGE)
  })

  it('changes the node from one mode to another and back', () => {
    const results = PROXY_MODES.map((mode) => dns(['10.244.1.1'], { mode }))
    const pairs = results.flatMap((before) =>
      results.flatMap((after) => (before === after ? [] : [[before, after] as const])),
    )
    for (const [before, after] of pairs) {
      const patch = diff(before, after)
      const changed = applyPatch(toResources(statesOf(before)), patch)
      expect(saved(assembleStates(changed).map(inOrder))).toEqual(saved(statesOf(after).map(inOrder)))
      expect(filled(applyPatch(changed, invertPatch(patch)))).toEqual(filled(toResources(statesOf(before))))
    }
  })
})

describe('a compiled state', () => {
  it('can be rebuilt from its resources', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const states = statesOf(compileCase(given))
        expect(saved(assembleStates(toResources(states)))).toEqual(saved(states))
      }),
      { numRuns: runs(20) },
    )
  })

  it('can be parsed from tool output for every subsystem', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(cases, fc.constantFrom('nft' as const, 'legacy' as const), (given, backend) => {
        for (const state of statesOf(compileCase(given))) {
          const read = readDump(print(state, { format: 'save', backend }), { family: state.family })[state.family]
          for (const subsystem of SUBSYSTEMS) {
            const [compiled, found] = [canonicalize(state, subsystem), canonicalize(read, subsystem)]
            // A tool with empty output is indistinguishable from a missing one.
            if (found === undefined) expect(print(state, { subsystem, format: 'save' })).toBe('')
            else expect({ language: subsystem, state: found }).toEqual({ language: subsystem, state: compiled })
            if (found !== undefined) seen.add(`${state.family} ${subsystem}`)
          }
        }
      }),
      { numRuns: runs(100) },
    )
    const families: readonly IpFamily[] = ['IPv4', 'IPv6']
    if (!isWhole) return
    expect([...seen].sort()).toEqual(families.flatMap((family) => SUBSYSTEMS.map((name) => `${family} ${name}`)).sort())
  })
})

function inOrder({ ipset, nftables, ...rest }: NodeState): NodeState {
  const tables = nftables && { nftables: canonicalTables(nftables) }
  return { ...rest, ...(ipset && { ipset: canonicalSets(ipset) }), ...tables }
}

function canonicalize(state: NodeState, language: Subsystem): unknown {
  const own = state[language]
  return own === undefined ? undefined : normalForm(language, own)
}
