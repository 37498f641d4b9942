import { describe, expect, it } from 'vitest'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import type { ServicePlan } from '../../../src/plan/plan.js'
import { createIpvsContribution } from '../../../src/targets/ipvs/ipvs-contribution.js'
import { createLoweringContext, portLoweringContextOf } from '../../../src/targets/ipvs/lowering-context.js'
import { ipvsPlanOf } from '../../support/ipvs-states.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const ENDPOINTS = [endpoint({ ip: '10.180.0.1' }), endpoint({ ip: '10.180.0.2' })]

function planned(fields: Partial<Omit<ServicePort, 'id'>> = {}): ServicePlan {
  const [service] = ipvsPlanOf([servicePort({ endpoints: ENDPOINTS, ...fields })]).services
  if (service === undefined) throw new Error('no service')
  return service
}

describe('portLoweringContextOf for a service port', () => {
  const one = createLoweringContext(ipvsPlanOf([]))
  const NODE_PORT = { nodePort: 3001 }
  const EXTERNAL = { externalIPs: ['198.51.100.9'] }

  it.each<[string, Partial<Omit<ServicePort, 'id'>>, Partial<typeof one>, boolean]>([
    ['equal settings', {}, {}, true],
    ['another scheduler', {}, { scheduler: 'sh' }, false],
    ['other flags', {}, { flags: 16 }, false],
    ['another family', {}, { family: 'IPv6' }, false],
    ['other addresses for a node port', NODE_PORT, { nodePortAddresses: ['192.168.0.2'] }, false],
    [
      'an address that no longer serves a node port',
      NODE_PORT,
      { losesNodePortAddress: !one.losesNodePortAddress },
      false,
    ],
    ['an unrelated address of a node with a node port', NODE_PORT, { ownAddresses: ['198.51.100.9'] }, true],
    ['an external IP that the node has too', EXTERNAL, { ownAddresses: ['198.51.100.9'] }, false],
    ['an unrelated address of a node with an external IP', EXTERNAL, { ownAddresses: ['192.168.9.9'] }, true],
    ['other node port addresses and an external IP', EXTERNAL, { nodePortAddresses: ['192.168.0.2'] }, true],
    ['a cluster IP that the node has too', {}, { ownAddresses: ['172.30.0.41'] }, true],
  ])('returns a different context only if a setting affects the service port: %s', (_what, port, fields, isSame) => {
    const [service, other] = [planned(port), { ...one, ...fields }]
    const [before, after] = [portLoweringContextOf(service, one), portLoweringContextOf(service, other)]
    if (isSame) {
      expect(after).toEqual(before)
      expect(createIpvsContribution(service, other)).toEqual(createIpvsContribution(service, one))
    } else {
      expect(after).not.toEqual(before)
    }
  })
})
