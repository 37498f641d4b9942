import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { decide } from '../../src/plan/decide.js'
import { buildPlan } from '../support/build-plan.js'
import { endpoint, model, servicePort } from '../support/model-builder.js'

const anyEndpoint = fc.record({
  ip: fc.integer({ min: 1, max: 20 }).map((octet) => `10.180.0.${octet}`),
  ready: fc.boolean(),
  serving: fc.boolean(),
  terminating: fc.boolean(),
  local: fc.boolean(),
})

/** Generates service ports with disjoint frontends: the index distinguishes their addresses and ports. */
const anyServicePorts = fc
  .array(
    fc.record({
      endpoints: fc.uniqueArray(anyEndpoint, { selector: ({ ip }) => ip, maxLength: 6 }),
      internalPolicyLocal: fc.boolean(),
      externalPolicyLocal: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((all) =>
    all.map(
      ({ endpoints, ...policies }, index): ServicePort =>
        servicePort({
          ...policies,
          name: `svc${index}`,
          clusterIP: `172.30.0.${index}`,
          externalIPs: [`192.168.99.${index}`],
          nodePort: 3000 + index,
          endpoints: endpoints.map(endpoint),
        }),
    ),
  )

const anyPacket: fc.Arbitrary<Packet> = fc
  .record({
    source: fc.constantFrom('10.0.0.2', '10.180.0.1', '192.168.0.2', '203.0.113.2'),
    index: fc.nat(2),
    destination: fc.constantFrom('172.30.0.', '192.168.99.', 'node'),
  })
  .map(({ source, index, destination }) => ({
    origin: 'outside',
    protocol: 'TCP',
    source,
    destination: destination === 'node' ? '192.168.0.2' : `${destination}${index}`,
    destinationPort: destination === 'node' ? 3000 + index : 80,
  }))

it('decide returns equal weights that add up to one', () => {
  fc.assert(
    fc.property(anyServicePorts, anyPacket, (servicePorts, packet) => {
      const decision = decide(buildPlan(model({ servicePorts })), packet)
      fc.pre(decision.kind === 'endpoints')
      const denominators = new Set(decision.candidates.map(({ weight }) => weight.denominator))
      expect(denominators).toEqual(new Set([decision.candidates.length]))
      expect(decision.candidates.every(({ weight }) => weight.numerator === 1)).toBe(true)
    }),
  )
})

it('decide sends no packets to an endpoint that is neither ready nor serving', () => {
  fc.assert(
    fc.property(anyServicePorts, anyPacket, (servicePorts, packet) => {
      const decision = decide(buildPlan(model({ servicePorts })), packet)
      fc.pre(decision.kind === 'endpoints')
      for (const { endpoint: chosen } of decision.candidates) expect(chosen.ready || chosen.serving).toBe(true)
    }),
  )
})

it('decide sends packets only to reachable endpoints', () => {
  fc.assert(
    fc.property(anyServicePorts, anyPacket, (servicePorts, packet) => {
      const plan = buildPlan(model({ servicePorts }))
      const decision = decide(plan, packet)
      fc.pre(decision.kind === 'endpoints')
      const service = plan.services.find(({ id }) => id.text === decision.servicePort.text)
      for (const { endpoint: chosen } of decision.candidates) expect(service?.reachable).toContain(chosen)
    }),
  )
})

it('decide masquerades a packet that an endpoint sends to itself', () => {
  fc.assert(
    fc.property(anyServicePorts, anyPacket, (servicePorts, packet) => {
      const decision = decide(buildPlan(model({ servicePorts })), { ...packet, source: '10.180.0.1' })
      fc.pre(decision.kind === 'endpoints')
      const itself = decision.candidates.filter(({ endpoint: chosen }) => chosen.ip === '10.180.0.1')
      expect(itself.every(({ masquerade }) => masquerade)).toBe(true)
    }),
  )
})

it('decide returns the same result for every order of service ports with disjoint frontends', () => {
  fc.assert(
    fc.property(anyServicePorts, anyPacket, (servicePorts, packet) => {
      const reversed = [...servicePorts].reverse()
      expect(decide(buildPlan(model({ servicePorts: reversed })), packet)).toEqual(
        decide(buildPlan(model({ servicePorts })), packet),
      )
    }),
  )
})
