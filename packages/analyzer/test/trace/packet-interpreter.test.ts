import { joinHostPort } from '@kube-rules/types/internal/ip'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { print } from '../../../compiler/src/print/print.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import type { TracePath } from '../../src/trace/trace-paths.js'
import { interpretPacket } from '../support/packet-interpreter.js'

/** Compiled clusters in iptables mode, each with packets for all its families. */
const samples = cases.chain((given) => {
  const options = optionsOfMode(given.options, 'iptables')
  const { families } = compileCase({ cluster: understoodCluster(given.cluster, options), options })
  const packets = families.map(({ plan }) => fc.array(anyPacket(plan), { minLength: 10, maxLength: 10 }))
  return fc
    .tuple(...packets)
    .map((ofFamilies) => families.map((family, index) => ({ family, packets: ofFamilies[index] ?? [] })))
})

function probabilitiesOf(paths: readonly TracePath[]): ReadonlyMap<string, number> {
  const probabilities = new Map<string, number>()
  for (const { outcome, weight } of paths) {
    const end = outcome.kind === 'delivered' ? joinHostPort(outcome.address, outcome.port) : outcome.kind
    const text = `${end}${'masqueraded' in outcome && outcome.masqueraded ? '*' : ''}`
    const [numerator = 0, denominator = 1] = weight.split('/').map(Number)
    probabilities.set(text, (probabilities.get(text) ?? 0) + numerator / denominator)
  }
  return probabilities
}

function likely(probabilities: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...probabilities].filter(([, probability]) => probability > 1e-4))
}

it('trace has the outcomes of a second implementation that reads the text of iptables-save', () => {
  let compared = 0
  let undetermined = 0
  fc.assert(
    fc.property(samples, (families) => {
      for (const { family, packets } of families) {
        const text = print(family.state, { format: 'save' })
        const context = traceContextFor(family.plan)
        for (const packet of packets) {
          const paths = trace(family.state, packet, context)
          if (paths.some(({ assumptions }) => assumptions.length > 0)) {
            undetermined++
            continue
          }
          compared++
          const interpreted = likely(interpretPacket(text, packet, context.addresses ?? []))
          const traced = likely(probabilitiesOf(paths))
          expect([...interpreted.keys()].sort(), JSON.stringify(packet)).toEqual([...traced.keys()].sort())
          // The rules of old versions contain probabilities with five decimals.
          for (const [end, probability] of traced) expect(interpreted.get(end)).toBeCloseTo(probability, 4)
        }
      }
    }),
    { numRuns: runs(300) },
  )
  expect(compared).toBeGreaterThan(5 * undetermined)
})
