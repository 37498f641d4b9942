import { expect, it } from 'vitest'
import { EXPLANATIONS } from '../../../src/targets/ipvs/explanations.js'
import { packet, planOf } from '../../support/decisions.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

it.each([
  ['from an endpoint of the node to itself', '10.180.0.1', '10.180.0.1:80', true],
  ['to another port of it', '10.180.0.1', '10.180.0.1:81', false],
  ['from it to the same port elsewhere', '10.180.0.1', '10.180.0.9:80', false],
  ['from another address to it', '10.180.0.9', '10.180.0.1:80', false],
  ['from an endpoint elsewhere to itself', '10.180.0.2', '10.180.0.2:80', false],
])('directHairpin, of a packet %s', (_, source, destination, isExplained) => {
  const endpoints = [endpoint({ ip: '10.180.0.1', local: true }), endpoint({ ip: '10.180.0.2' })]
  const plan = planOf([servicePort({ endpoints })])
  const decision = { outcome: 'passes' } as const
  const traced = { plan, packet: packet(source, destination), decision, wanted: decision, ends: [] }
  expect(EXPLANATIONS.directHairpin?.masquerade?.(traced)).toBe(isExplained)
})
