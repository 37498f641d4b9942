import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../support/clusters.js'
import { compileCase } from '../support/renderings.js'

/** How many of 300 generated cases show something. A law over inputs that never show it would hold for nothing. */
function share(shows: (sample: ReturnType<typeof compileCase>) => boolean): number {
  return fc.sample(cases, { numRuns: 300, seed: 1 }).filter((given) => shows(compileCase(given))).length
}

describe('generated cases', () => {
  it('compile without errors', () => {
    fc.assert(
      fc.property(cases, (given) => {
        expect(compileCase(given).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
      }),
    )
  })

  it.each(['clusterIP', 'externalIP', 'loadBalancer', 'nodePort'])('have frontends of kind %s', (kind) => {
    const has = share(({ families }) =>
      families.some(({ plan }) => plan.services.some(({ frontends }) => frontends.some((each) => each.kind === kind))),
    )
    expect(has).toBeGreaterThan(30)
  })

  it.each([
    'offCluster',
    'masqueradeAll',
    'podShortCircuit',
    'nodeShortCircuit',
    'policy',
    'noEndpoints',
    'noLocalEndpoints',
  ])('have routes with the reason %s', (reason) => {
    const has = share(({ families }) =>
      families.some(({ plan }) =>
        plan.services.some(({ frontends }) =>
          frontends.some(({ route }) => route.some((clause) => clause.reason === reason)),
        ),
      ),
    )
    expect(has).toBeGreaterThan(10)
  })

  it.each(['addressConflict', 'orphanSlice', 'unusedEndpoints', 'nonCanonicalAddress', 'otherAddressFamily'])(
    'have diagnostics %s',
    (code) => {
      expect(share(({ diagnostics }) => diagnostics.some((diagnostic) => diagnostic.code === code))).toBeGreaterThan(10)
    },
  )

  it('have service ports with several endpoints', () => {
    const has = share(({ families }) =>
      families.some(({ plan }) => plan.services.some(({ pools }) => pools.cluster.length > 2)),
    )
    expect(has).toBeGreaterThan(30)
  })
})
