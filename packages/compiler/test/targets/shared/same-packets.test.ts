import { describe, expect, it } from 'vitest'
import type { ServicePlan } from '../../../src/plan/plan.js'
import type { ServicePort } from '../../../src/services/service-port.js'
import { lowering } from '../../../src/targets/ipvs/lowering.js'
import { isSamePart } from '../../../src/targets/ipvs/same-part.js'
import { samePackets } from '../../../src/targets/shared/same-packets.js'
import { planOf } from '../../support/decisions.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const ENDPOINTS = [endpoint({ ip: '10.180.0.1' }), endpoint({ ip: '10.180.0.2' })]

function planned(fields: Partial<Omit<ServicePort, 'id'>> = {}): ServicePlan {
  const [service] = planOf([servicePort({ endpoints: ENDPOINTS, ...fields })]).services
  if (service === undefined) throw new Error('no service')
  return service
}

describe('two plans of a service port', () => {
  it('say the same of its packets where they are equal', () => {
    expect(samePackets(planned(), planned())).toBe(true)
    expect(samePackets(planned({ affinitySeconds: 5 }), planned({ affinitySeconds: 5 }))).toBe(true)
  })

  it.each<[string, Partial<Omit<ServicePort, 'id'>>]>([
    ['with affinity', { affinitySeconds: 10 }],
    ['with another port', { port: 81 }],
    ['with one endpoint less', { endpoints: ENDPOINTS.slice(1) }],
    ['with another endpoint', { endpoints: [endpoint({ ip: '10.180.0.1' }), endpoint({ ip: '10.180.0.3' })] }],
  ])('say something else %s', (_what, fields) => {
    expect(samePackets(planned(), planned(fields))).toBe(false)
  })
})

describe('the part of a service port in mode ipvs', () => {
  const own = lowering(planOf([]))

  it.each<[string, Partial<typeof own>, boolean]>([
    ['by equal settings', {}, true],
    ['by another scheduler', { scheduler: 'sh' }, false],
    ['by other flags', { flags: 16 }, false],
    ['over another family', { family: 'IPv6' }, false],
  ])('is the same %s: %j, %j', (_what, fields, isSame) => {
    expect(isSamePart(planned(), own, planned(), { ...own, ...fields })).toBe(isSame)
  })
})
