import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { packetsFor } from '../../../compiler/test/support/packets.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { createPlanFilter } from '../../src/plan/create-plan-filter.js'
import { computeIpvsOutcome } from '../../src/targets/ipvs/compute-outcome.js'
import { formatEnds } from '../../src/targets/shared/create-limitation-predicate.js'
import { computeUserspaceOutcome } from '../../src/targets/userspace/compute-outcome.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

function samples(mode: ProxyMode) {
  return cases.chain((given) => {
    const options = optionsOfMode(given.options, mode)
    const { families } = compileCase({ cluster: understoodCluster(given.cluster, options), options })
    return fc.tuple(
      ...families.map(({ plan, state }) =>
        fc.array(packetsFor(plan), { minLength: 12, maxLength: 12 }).map((packets) => ({ plan, state, packets })),
      ),
    )
  })
}

// A limitation of these modes explains only the computed outcome. Otherwise a wrong rule could pass as a limitation.
describe.each([
  ['computeIpvsOutcome', 'ipvs', computeIpvsOutcome],
  ['computeUserspaceOutcome', 'userspace', computeUserspaceOutcome],
] as const)('%s', (_, mode, compute) => {
  it('returns the traced outcome of every packet, from the whole plan and from its relevant part', () => {
    fc.assert(
      fc.property(samples(mode), (families) => {
        for (const { plan, state, packets } of families) {
          const partOf = createPlanFilter(plan)
          for (const packet of packets) {
            const expected = { packet, text: formatEnds(trace(state, packet, traceContextFor(plan))) }
            expect({ packet, text: compute(plan, packet).join('\n') }).toEqual(expected)
            expect({ packet, text: compute(partOf(packet), packet).join('\n') }).toEqual(expected)
          }
        }
      }),
      { numRuns: runs(150) },
    )
  })
})
