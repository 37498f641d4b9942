import { describe, expect, it } from 'vitest'
import type { ServicePlan } from '../../../src/plan/plan.js'
import type { ServicePort } from '../../../src/services/service-port.js'
import { lowering } from '../../../src/targets/ipvs/lowering.js'
import { isSamePart } from '../../../src/targets/ipvs/same-part.js'
import { sameEndpoints, samePackets } from '../../../src/targets/shared/same-packets.js'
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
    ['with a health check', { healthCheckNodePort: 30500 }],
    ['with policy Local', { internalPolicyLocal: true, endpoints: [endpoint({ ip: '10.180.0.1', local: true })] }],
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

  const NODE_PORT = { nodePort: 3001 }
  const EXTERNAL = { externalIPs: ['198.51.100.9'] }

  it.each<[string, Parameters<typeof planned>[0], Partial<typeof own>, boolean]>([
    ['a node port at other addresses', NODE_PORT, { nodePortAddresses: ['192.168.0.2'] }, false],
    ['a node port that is lost elsewhere', NODE_PORT, { losesNodePortAddress: !own.losesNodePortAddress }, false],
    ['a node port on a node with another address', NODE_PORT, { ownAddresses: ['198.51.100.9'] }, true],
    ['an external IP that the node has', EXTERNAL, { ownAddresses: ['198.51.100.9'] }, false],
    ['an external IP on a node with another address', EXTERNAL, { ownAddresses: ['192.168.9.9'] }, true],
    ['an external IP where node ports are elsewhere', EXTERNAL, { nodePortAddresses: ['192.168.0.2'] }, true],
    ['a cluster IP that the node has', {}, { ownAddresses: ['172.30.0.41'] }, true],
  ])('of %s', (_what, port, fields, isSame) => {
    expect(isSamePart(planned(port), own, planned(port), { ...own, ...fields })).toBe(isSame)
  })

  it('is another one with other packets, and with other endpoints on the node', () => {
    expect(isSamePart(planned(), own, planned({ port: 81 }), own)).toBe(false)
    const onNode = ENDPOINTS.map((each) => ({ ...each, local: true }))
    expect(isSamePart(planned(), own, planned({ endpoints: onNode }), own)).toBe(false)
    expect(isSamePart(planned(), own, planned(), own)).toBe(true)
  })
})

it('endpoints are the same by their addresses and ports, in their order', () => {
  const [one, other] = ENDPOINTS
  if (one === undefined || other === undefined) throw new Error('there are no endpoints')
  expect(sameEndpoints(ENDPOINTS, ENDPOINTS)).toBe(true)
  expect(sameEndpoints([one, other], [{ ...one, ready: false }, other])).toBe(true)
  expect(sameEndpoints([one, other], [other, one])).toBe(false)
  expect(sameEndpoints([one], [one, other])).toBe(false)
  expect(sameEndpoints([one, other], [one])).toBe(false)
  expect(sameEndpoints([], [])).toBe(true)
})
