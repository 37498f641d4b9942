import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cases, optionsOfMode, understoodCluster } from '../../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../../compiler/test/support/compiled.js'
import { packetsFor } from '../../../../compiler/test/support/packets.js'
import { runs } from '../../../../compiler/test/support/runs.js'
import { createPlanFilter } from '../../../src/plan/create-plan-filter.js'
import { computeIpvsOutcome } from '../../../src/targets/ipvs/compute-outcome.js'
import { formatEnds } from '../../../src/targets/shared/create-limitation-predicate.js'
import { trace } from '../../../src/trace/trace.js'
import { traceContextFor } from '../../../src/trace/trace-context.js'

const samples = cases.chain((given) => {
  const options = optionsOfMode(given.options, 'ipvs')
  const { families } = compileCase({ cluster: understoodCluster(given.cluster, options), options })
  return fc.tuple(
    ...families.map(({ plan, state }) =>
      fc.array(packetsFor(plan), { minLength: 12, maxLength: 12 }).map((packets) => ({ plan, state, packets })),
    ),
  )
})

it('computeIpvsOutcome computes the traced outcome of every packet, from the whole plan and from its relevant part', () => {
  fc.assert(
    fc.property(samples, (families) => {
      for (const { plan, state, packets } of families) {
        const partOf = createPlanFilter(plan)
        for (const packet of packets) {
          const expected = formatEnds(trace(state, packet, traceContextFor(plan)))
          expect({ packet, text: computeIpvsOutcome(plan, packet).join('\n') }).toEqual({ packet, text: expected })
          expect(computeIpvsOutcome(partOf(packet), packet).join('\n')).toBe(expected)
        }
      }
    }),
    { numRuns: runs(300) },
  )
})
