import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { ServicePortSpec } from '../../src/kubernetes/service.js'
import { type ObjectShape, objectSchema, portNumberSchema, stringSchema } from '../../src/schema/fields.js'
import {
  endpointSliceSchema,
  endpointsSchema,
  kubeProxyConfigurationSchema,
  nodeSchema,
  serviceSchema,
} from '../../src/schema/index.js'

describe('z.toJSONSchema', () => {
  it.each([
    ['Service', serviceSchema, ['apiVersion', 'kind', 'metadata', 'spec', 'status']],
    ['EndpointSlice', endpointSliceSchema, ['addressType', 'apiVersion', 'endpoints', 'kind', 'metadata', 'ports']],
    ['Endpoints', endpointsSchema, ['apiVersion', 'kind', 'metadata', 'subsets']],
    ['Node', nodeSchema, ['apiVersion', 'kind', 'metadata', 'spec', 'status']],
  ])('converts the %s schema, with all of its fields and with required metadata', (_kind, schema, fields) => {
    const { properties, required } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })
    expect(Object.keys(properties ?? {}).sort()).toEqual(fields)
    expect(required).toContain('metadata')
  })

  it('converts the KubeProxyConfiguration schema without required fields', () => {
    const { properties, required } = z.toJSONSchema(kubeProxyConfigurationSchema, { io: 'input', target: 'draft-7' })
    expect(Object.keys(properties ?? {})).toContain('iptables')
    expect(required).toBeUndefined()
  })
})

describe('ObjectShape', () => {
  type Unchecked = 'targetPort' | 'appProtocol'

  const complete = {
    name: z.nullish(stringSchema),
    protocol: z.nullish(stringSchema),
    port: portNumberSchema,
    nodePort: z.nullish(portNumberSchema),
  } satisfies ObjectShape<ServicePortSpec, Unchecked>

  it('accepts a shape with every field of the type', () => {
    expect(objectSchema<ServicePortSpec, Unchecked>(complete).safeParse({ port: 80 }).success).toBe(true)
  })

  it('fails to compile if a field is missing, unknown or of another type', () => {
    const { nodePort: _, ...incomplete } = complete
    // @ts-expect-error nodePort is missing
    incomplete satisfies ObjectShape<ServicePortSpec, Unchecked>
    // @ts-expect-error the interface has no such field
    ;({ ...complete, target: stringSchema }) satisfies ObjectShape<ServicePortSpec, Unchecked>
    // @ts-expect-error a port is a number
    ;({ ...complete, port: stringSchema }) satisfies ObjectShape<ServicePortSpec, Unchecked>
    // @ts-expect-error a port is always there
    ;({ ...complete, port: z.nullish(portNumberSchema) }) satisfies ObjectShape<ServicePortSpec, Unchecked>
    expect(Object.keys(incomplete)).not.toContain('nodePort')
  })
})
