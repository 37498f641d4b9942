import type * as client0 from 'client-node-0'
import type * as client1 from 'client-node-1'
import type * as client2 from 'client-node-2'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { EndpointSlice, Endpoints, Node, Service } from '../../src/index.js'
import { parseManifests } from '../../src/schema/index.js'
import emptySlice from './empty-slice.json' with { type: 'json' }
import headlessService from './headless-service.json' with { type: 'json' }

// Proved by the type check of the tests, not by running them.
describe('the objects of @kubernetes/client-node', () => {
  it('of 0.x are inputs without a cast', () => {
    expectTypeOf<client0.V1Service>().toExtend<Service>()
    expectTypeOf<client0.V1EndpointSlice>().toExtend<EndpointSlice>()
    expectTypeOf<client0.V1Endpoints>().toExtend<Endpoints>()
    expectTypeOf<client0.V1Node>().toExtend<Node>()
  })

  it('of 1.x are inputs without a cast', () => {
    expectTypeOf<client1.V1Service>().toExtend<Service>()
    expectTypeOf<client1.V1EndpointSlice>().toExtend<EndpointSlice>()
    expectTypeOf<client1.V1Endpoints>().toExtend<Endpoints>()
    expectTypeOf<client1.V1Node>().toExtend<Node>()
  })

  it('of 2.x are inputs without a cast', () => {
    expectTypeOf<client2.V1Service>().toExtend<Service>()
    expectTypeOf<client2.V1EndpointSlice>().toExtend<EndpointSlice>()
    expectTypeOf<client2.V1Endpoints>().toExtend<Endpoints>()
    expectTypeOf<client2.V1Node>().toExtend<Node>()
  })

  it('are real types, so that a wrong one is noticed', () => {
    // @ts-expect-error a Service has no address type
    expectTypeOf<client0.V1Service>().toExtend<EndpointSlice>()
    // @ts-expect-error a Service has no address type
    expectTypeOf<client1.V1Service>().toExtend<EndpointSlice>()
    // @ts-expect-error a Service has no address type
    expectTypeOf<client2.V1Service>().toExtend<EndpointSlice>()
  })
})

describe('imported JSON with null lists', () => {
  it('is an input without a cast, and fits the schemas', () => {
    const service: Service = headlessService
    const slice: EndpointSlice = emptySlice
    const { services, endpointSlices, diagnostics } = parseManifests([service, slice])
    expect({ services, endpointSlices, diagnostics }).toEqual({
      services: [headlessService],
      endpointSlices: [emptySlice],
      diagnostics: [],
    })
  })
})
