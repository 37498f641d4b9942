import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toConntrackFilter } from '../../src/commands/to-commands.js'
import { formatConntrackFilter } from '../../src/dataplane/conntrack/print.js'
import { compareServicePortIds, type ServicePort } from '../../src/model/services/service-port.js'
import type { Plan, ServicePlan } from '../../src/plan/plan.js'
import { findStaleConnections } from '../../src/plan/stale-connections.js'
import { buildPlan } from '../support/build-plan.js'
import { endpoint, model, servicePort } from '../support/model-builder.js'

const anyEndpoint = fc
  .record({
    ip: fc.integer({ min: 1, max: 4 }).map((octet) => `10.180.0.${octet}`),
    port: fc.constantFrom(53, 5353),
    ready: fc.boolean(),
    serving: fc.boolean(),
    terminating: fc.boolean(),
  })
  .map(endpoint)

/** Few addresses and names, so that service ports conflict, also on the same address. */
const anyServicePort = fc
  .record({
    name: fc.constantFrom('a', 'a-b', 'b'),
    protocol: fc.constantFrom('UDP' as const, 'TCP' as const),
    clusterIP: fc.constantFrom('172.30.0.1', '172.30.0.2'),
    externalIPs: fc.uniqueArray(fc.constantFrom('172.30.0.1', '192.168.99.1', '192.168.99.2')),
    loadBalancerIPs: fc.uniqueArray(fc.constantFrom('192.168.99.1', '1.2.3.4')),
    nodePort: fc.constantFrom(0, 3001, 30010),
    endpoints: fc.uniqueArray(anyEndpoint, { selector: ({ text }) => text, maxLength: 5 }),
  })
  .map(servicePort)

const anyServicePorts = fc
  .uniqueArray(anyServicePort, { selector: ({ id }) => `${id.text} ${id.protocol}`, maxLength: 4 })
  .map((all) => all.sort((a, b) => compareServicePortIds(a.id, b.id)))

const anyPlan = anyServicePorts.map(planOf)
const anyPlanOrNone = fc.option(anyPlan, { nil: undefined })

function planOf(servicePorts: readonly ServicePort[]): Plan {
  return buildPlan(model({ servicePorts }))
}

/** Copies a plan without sharing objects. */
function copyOf(plan: Plan | undefined): Plan | undefined {
  return plan === undefined ? undefined : structuredClone(plan)
}

function backwards(plan: Plan | undefined): Plan | undefined {
  if (plan === undefined) return undefined
  const turn = (service: ServicePlan): ServicePlan => ({
    ...service,
    frontends: [...service.frontends].reverse(),
    endpoints: [...service.endpoints].reverse(),
  })
  return { ...plan, services: plan.services.map(turn) }
}

const textsOf = (before: Plan | undefined, after: Plan | undefined) =>
  findStaleConnections(before, after).map((stale) => formatConntrackFilter(toConntrackFilter(stale, 'IPv4')))

describe('findStaleConnections', () => {
  it('returns no connections for a plan and itself, or for a plan and its copy', () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        expect(findStaleConnections(plan, plan)).toEqual([])
        expect(findStaleConnections(plan, copyOf(plan))).toEqual([])
      }),
    )
  })

  it('returns connections in code-unit order of their texts, without duplicates', () => {
    fc.assert(
      fc.property(anyPlanOrNone, anyPlanOrNone, (before, after) => {
        const texts = textsOf(before, after)
        expect(texts).toEqual([...new Set(texts)].sort())
      }),
    )
  })

  it('returns the same connections whether the plans share objects or not', () => {
    fc.assert(
      fc.property(anyServicePorts, anyServicePorts, (old, fresh) => {
        const before = planOf(old)
        const known = new Map(before.services.map((service) => [JSON.stringify(service), service]))
        const apart = planOf(fresh)
        const services = apart.services.map((service) => known.get(JSON.stringify(service)) ?? service)
        expect(findStaleConnections(before, { ...apart, services })).toEqual(findStaleConnections(before, apart))
      }),
    )
  })

  it('returns the same connections whatever the order of frontends and endpoints', () => {
    fc.assert(
      fc.property(anyPlanOrNone, anyPlanOrNone, (before, after) => {
        expect(findStaleConnections(backwards(before), backwards(after))).toEqual(findStaleConnections(before, after))
      }),
    )
  })

  it('returns plain data, and the same data for plans after a JSON round trip', () => {
    const json = (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
    fc.assert(
      fc.property(anyPlanOrNone, anyPlanOrNone, (before, after) => {
        const stale = findStaleConnections(before, after)
        expect(json(stale)).toStrictEqual(stale)
        expect(findStaleConnections(json(before), json(after))).toEqual(stale)
      }),
    )
  })

  it('returns the union of the connections of each service port', () => {
    fc.assert(
      fc.property(anyServicePorts, anyServicePorts, (old, fresh) => {
        const ids = [...old, ...fresh].map(({ id }) => id)
        const only = (ports: readonly ServicePort[], id: ServicePort['id']) =>
          planOf(ports.filter((port) => compareServicePortIds(port.id, id) === 0))
        const apart = ids.flatMap((id) => textsOf(only(old, id), only(fresh, id)))
        expect(textsOf(planOf(old), planOf(fresh))).toEqual([...new Set(apart)].sort())
      }),
    )
  })

  it('does not change the plans', () => {
    fc.assert(
      fc.property(anyPlanOrNone, anyPlanOrNone, (before, after) => {
        const copies = [copyOf(before), copyOf(after)]
        findStaleConnections(before, after)
        expect([before, after]).toEqual(copies)
      }),
    )
  })
})
