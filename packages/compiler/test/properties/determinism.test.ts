import type { Diagnostic } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { type Case, cases } from '../support/clusters.js'
import { compileCase, deepFreeze } from '../support/compiled.js'
import { printedTexts } from '../support/printed-texts.js'
import { runs } from '../support/runs.js'

function texts(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map((diagnostic) => JSON.stringify(diagnostic)).sort()
}

function summary(result: CompileResult): object {
  return {
    texts: printedTexts(result),
    diagnostics: texts(result.diagnostics),
    counts: result.counts,
    healthChecks: result.families.map(({ healthCheckNodePorts }) => healthCheckNodePorts),
  }
}

function shuffled<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })
}

function inAnyOrder(cluster: Cluster): fc.Arbitrary<Cluster> {
  return fc
    .record({
      services: shuffled(cluster.services),
      endpointSlices: shuffled(cluster.endpointSlices),
      endpoints: shuffled(cluster.endpoints),
      nodes: shuffled(cluster.nodes),
    })
    .map((objects) => ({ ...cluster, ...objects }))
}

const casesInTwoOrders: fc.Arbitrary<readonly [Case, Case]> = cases.chain((original) =>
  inAnyOrder(original.cluster).map((cluster) => [original, { ...original, cluster }] as const),
)

describe('compile', () => {
  it('returns the same rules and diagnostics if objects are reordered, reused, copied or frozen', () => {
    fc.assert(
      fc.property(casesInTwoOrders, ([given, reordered]) => {
        const copy = structuredClone(given)
        const first = summary(compileCase(given))
        expect(given).toEqual(copy)
        for (const other of [reordered, given, copy, deepFreeze(given)]) {
          expect(summary(compileCase(other))).toEqual(first)
        }
      }),
      { numRuns: runs(20) },
    )
  })

  it('does not freeze its input', () => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const open = structuredClone(cluster)
        compile(open, options)
        const isFrozen = (value: unknown): boolean =>
          typeof value === 'object' && value !== null && (Object.isFrozen(value) || Object.values(value).some(isFrozen))
        expect(isFrozen(open)).toBe(false)
      }),
      { numRuns: runs(12) },
    )
  })

  it('accepts Sets and iterators instead of arrays', () => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const input = {
          ...cluster,
          services: new Set(cluster.services),
          endpointSlices: new Map(cluster.endpointSlices.entries()).values(),
          endpoints: new Set(cluster.endpoints),
          nodes: cluster.nodes.values(),
        }
        expect(summary(compile(input, options))).toEqual(summary(compile(cluster, options)))
      }),
      { numRuns: runs(8) },
    )
  })
})
