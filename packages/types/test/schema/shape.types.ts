import { expectTypeOf } from 'vitest'
import type * as z from 'zod/mini'
import type { EndpointSlice, Endpoints, KubeProxyConfiguration, Node, Service } from '../../src/index.js'
import type { endpointSliceSchema } from '../../src/schema/endpoint-slice.js'
import type { endpointsSchema } from '../../src/schema/endpoints.js'
import type { kubeProxyConfigurationSchema } from '../../src/schema/kube-proxy-configuration.js'
import type { nodeSchema } from '../../src/schema/node.js'
import type { serviceSchema } from '../../src/schema/service.js'

// The type check of the tests proves this; nothing here runs. The schemas have the types of the interfaces.
expectTypeOf<z.output<typeof serviceSchema>>().toEqualTypeOf<Service>()
expectTypeOf<z.input<typeof serviceSchema>>().toEqualTypeOf<Service>()
expectTypeOf<z.input<typeof endpointSliceSchema>>().toEqualTypeOf<EndpointSlice>()
expectTypeOf<z.input<typeof endpointsSchema>>().toEqualTypeOf<Endpoints>()
expectTypeOf<z.input<typeof nodeSchema>>().toEqualTypeOf<Node>()
expectTypeOf<z.input<typeof kubeProxyConfigurationSchema>>().toEqualTypeOf<KubeProxyConfiguration>()
