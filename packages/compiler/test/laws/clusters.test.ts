import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileResult } from '../../src/compile.js'
import type { Plan, ServicePlan } from '../../src/plan/plan.js'
import { cases } from '../support/clusters.js'
import { compileCase } from '../support/renderings.js'

const results = fc.sample(cases, { numRuns: 300, seed: 1 }).map(compileCase)

/** In how many of 300 generated cases something can be seen. A law over inputs that never show it says nothing. */
function seenIn(shows: (result: CompileResult) => boolean): number {
  return results.filter(shows).length
}

function plansOf({ families }: CompileResult): readonly Plan[] {
  return families.map(({ plan }) => plan)
}

function anyService(shows: (service: ServicePlan) => boolean): number {
  return seenIn((result) => plansOf(result).some(({ services }) => services.some(shows)))
}

/** Whether two service ports have one address and port. */
function shareAddress({ services }: Plan): boolean {
  const claims = services.flatMap(({ id, frontends }) =>
    frontends.flatMap(({ address, port }) => (address === undefined ? [] : [`${id.protocol} ${address} ${port}`])),
  )
  return new Set(claims).size < claims.length
}

describe('generated cases', () => {
  it('compile without errors', () => {
    const errors = results.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity === 'error'))
    expect(errors).toEqual([])
  })

  it.each(['clusterIP', 'externalIP', 'loadBalancer', 'nodePort'])('have frontends of kind %s', (kind) => {
    expect(anyService(({ frontends }) => frontends.some((frontend) => frontend.kind === kind))).toBeGreaterThan(30)
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
    const has = ({ frontends }: ServicePlan) =>
      frontends.some(({ route }) => route.some((clause) => clause.reason === reason))
    expect(anyService(has)).toBeGreaterThan(10)
  })

  it.each(['orphanSlice', 'unusedEndpoints', 'nonCanonicalAddress', 'otherAddressFamily'])(
    'have diagnostics %s',
    (code) => {
      expect(seenIn(({ diagnostics }) => diagnostics.some((diagnostic) => diagnostic.code === code))).toBeGreaterThan(
        10,
      )
    },
  )

  it('have service ports with several endpoints', () => {
    expect(anyService(({ pools }) => pools.cluster.length > 2)).toBeGreaterThan(30)
  })

  it('have service ports with source ranges', () => {
    expect(anyService(({ frontends }) => frontends.some((each) => each.allowedSources))).toBeGreaterThan(10)
  })

  it('have Services that share an address', () => {
    expect(seenIn((result) => plansOf(result).some(shareAddress))).toBeGreaterThan(30)
  })
})
