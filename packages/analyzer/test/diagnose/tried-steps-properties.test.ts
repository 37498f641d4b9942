import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { decide } from '../../../compiler/src/plan/decide.js'
import { type Case, cases } from '../../../compiler/test/support/clusters.js'
import { mutate, mutationsOf, withForeignRules } from '../../../compiler/test/support/mutations.js'
import { dumpOf, nodeHolding } from '../../../compiler/test/support/node-dump.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { diagnoseNode } from '../../src/diagnose/diagnose-node.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import type { Diagnosis } from '../../src/diagnose/diagnosis.js'
import { rewriteRules } from '../../src/diagnose/trial/rewrite-rules.js'
import { findDivergence, formatOutcomesOfPaths } from '../../src/explain/difference.js'
import { explain } from '../../src/explain/explain.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { verify } from '../../src/verify/verify.js'

/** The numbers of steps by the code of their diagnosis: tried and printed, and instructions that cannot be tried. */
type StepCounts = Map<string, { tried: number; untried: number; none: number }>

function count(counts: StepCounts, { code, steps }: Diagnosis): void {
  const of = counts.get(code) ?? { tried: 0, untried: 0, none: 0 }
  counts.set(code, of)
  for (const { change, outcome, text } of steps) {
    expect(outcome === undefined, `${code}: ${text}`).toBe(change === undefined)
    if (text.startsWith('No single step')) of.none++
    else if (change === undefined) of.untried++
    else of.tried++
  }
}

const faults = cases
  .filter(({ options }) => options.mode === 'iptables' || options.mode === 'ipvs')
  .chain((given) =>
    fc
      .array(mutationsOf(given.options.mode === 'ipvs' ? 'ipvs' : 'iptables'), { minLength: 6, maxLength: 6 })
      .map((mutations) => ({ given, mutations })),
  )

describe('a tried step', () => {
  it('has both a change and an outcome, or neither, for packets through one changed rule', () => {
    const counts: StepCounts = new Map()
    fc.assert(
      fc.property(
        faults,
        fc.constantFrom(...IP_FAMILIES),
        fc.infiniteStream(fc.nat()),
        ({ given, mutations }, family, seeds) => {
          expect(mutations).toHaveLength(6)
          for (const mutation of mutations) {
            for (const diagnosis of diagnosesOf(given, mutation, family, seeds)) count(counts, diagnosis)
          }
        },
      ),
      { numRuns: fewRuns(30) },
    )
    if (isWhole) expect([...counts.keys()]).toEqual(expect.arrayContaining(['missingRule']))
  })

  function diagnosesOf(
    { cluster, options }: Case,
    mutation: Parameters<typeof mutate>[1],
    family: IpFamily,
    seeds: Iterator<number>,
  ): readonly Diagnosis[] {
    const result = compile(cluster, options)
    const compiled = result.families.find((each) => each.family === family)
    const mutated = compiled && mutate(nodeHolding(result, family), mutation)
    if (compiled === undefined || mutated === undefined) return []
    const live = annotateOwners(readDump(dumpOf(withForeignRules(mutated), family))[family], compiled.state)
    const { plan, state } = compiled
    const traceContext = traceContextFor(plan)
    const packets = fc.sample(anyPacket(plan), { numRuns: 4, seed: seeds.next().value as number })
    return packets.flatMap((packet) => {
      const explanation = explain(live, packet, { plan, compiled: state, ...traceContext })
      return diagnosePacket(explanation, live, { result, from: { input: cluster, options }, ...traceContext })
    })
  }

  it('has both a change and an outcome, or neither, in diagnoses of nodes with one changed resource', () => {
    const counts: StepCounts = new Map()
    fc.assert(
      fc.property(faults, ({ given, mutations }) => {
        const result = compile(given.cluster, given.options)
        expect(mutations).toHaveLength(6)
        for (const family of result.families) {
          for (const mutation of mutations) {
            const mutated = mutate(nodeHolding(result, family.family), mutation)
            if (mutated === undefined) continue
            const dump = readDump(dumpOf(withForeignRules(mutated), family.family))
            const only = { ...result, families: [family] }
            for (const diagnosis of diagnoseNode(only, dump, verify(only, dump))) count(counts, diagnosis)
          }
        }
      }),
      { numRuns: fewRuns(30) },
    )
    if (isWhole) expect(counts.size).toBeGreaterThan(1)
  })

  it('rewrites the rules of a node to those that a new kube-proxy writes', () => {
    fc.assert(
      fc.property(faults, fc.constantFrom(...IP_FAMILIES), ({ given, mutations }, family) => {
        const result = compile(given.cluster, given.options)
        const compiled = result.families.find((each) => each.family === family)
        fc.pre(compiled !== undefined)
        if (compiled === undefined) return
        const { plan, state } = compiled
        const packets = fc.sample(anyPacket(plan), { numRuns: 4, seed: 1 })
        expect(packets).toHaveLength(4)
        for (const mutation of mutations) {
          const mutated = mutate(nodeHolding(result, family), mutation)
          if (mutated === undefined) continue
          const live = readDump(dumpOf(mutated, family))[family]
          const rewritten = rewriteRules(live, result.mode, compiled)
          for (const packet of packets) {
            const outcomes = (node: typeof state) =>
              formatOutcomesOfPaths(trace(node, packet, traceContextFor(plan))).join()
            expect(outcomes(rewritten)).toBe(outcomes(state))
            expect(
              findDivergence(decide(plan, packet), trace(rewritten, packet, traceContextFor(plan)), undefined),
            ).toEqual(findDivergence(decide(plan, packet), trace(state, packet, traceContextFor(plan)), undefined))
          }
        }
      }),
      { numRuns: fewRuns(30) },
    )
  })
})
