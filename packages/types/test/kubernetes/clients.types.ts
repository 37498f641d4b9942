import type * as client0 from 'client-node-0'
import type * as client1 from 'client-node-1'
import type * as client2 from 'client-node-2'
import { expectTypeOf } from 'vitest'
import type { EndpointSlice, Endpoints, Node, Service } from '../../src/index.js'

// The type check of the tests proves this; nothing here runs.

// The objects of @kubernetes/client-node 0.x, 1.x and 2.x are valid inputs without a cast.
expectTypeOf<client0.V1Service>().toExtend<Service>()
expectTypeOf<client0.V1EndpointSlice>().toExtend<EndpointSlice>()
expectTypeOf<client0.V1Endpoints>().toExtend<Endpoints>()
expectTypeOf<client0.V1Node>().toExtend<Node>()
expectTypeOf<client1.V1Service>().toExtend<Service>()
expectTypeOf<client1.V1EndpointSlice>().toExtend<EndpointSlice>()
expectTypeOf<client1.V1Endpoints>().toExtend<Endpoints>()
expectTypeOf<client1.V1Node>().toExtend<Node>()
expectTypeOf<client2.V1Service>().toExtend<Service>()
expectTypeOf<client2.V1EndpointSlice>().toExtend<EndpointSlice>()
expectTypeOf<client2.V1Endpoints>().toExtend<Endpoints>()
expectTypeOf<client2.V1Node>().toExtend<Node>()

// The types are specific, so that a wrong one is an error.
// @ts-expect-error a Service has no address type
expectTypeOf<client0.V1Service>().toExtend<EndpointSlice>()
// @ts-expect-error a Service has no address type
expectTypeOf<client1.V1Service>().toExtend<EndpointSlice>()
// @ts-expect-error a Service has no address type
expectTypeOf<client2.V1Service>().toExtend<EndpointSlice>()
