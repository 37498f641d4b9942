import type * as z from 'zod/mini'
import type {
  EndpointConditions,
  EndpointHints,
  EndpointSlice,
  EndpointTarget,
  SliceEndpoint,
  SlicePort,
} from '../kubernetes/endpoint-slice.js'
import type { Result } from '../result.js'
import {
  booleanSchema,
  dnsLabelOrEmptySchema,
  dnsSubdomainSchema,
  kindSchema,
  listSchema,
  nullish,
  objectSchema,
  portNumberOrZeroSchema,
  protocolSchema,
  recordSchema,
  stringSchema,
} from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const conditionsSchema = objectSchema<EndpointConditions>({
  ready: nullish(booleanSchema),
  serving: nullish(booleanSchema),
  terminating: nullish(booleanSchema),
})

const hintSchema = objectSchema<{ readonly name: string }>({ name: stringSchema })

const hintsSchema = objectSchema<EndpointHints>({
  forZones: nullish(listSchema(hintSchema)),
  forNodes: nullish(listSchema(hintSchema)),
})

const targetSchema = objectSchema<EndpointTarget, 'namespace' | 'uid'>({
  kind: nullish(stringSchema),
  name: nullish(stringSchema),
})

const endpointSchema = objectSchema<SliceEndpoint, 'deprecatedTopology' | 'hostname'>({
  addresses: listSchema(stringSchema),
  conditions: nullish(conditionsSchema),
  nodeName: nullish(stringSchema),
  zone: nullish(stringSchema),
  hints: nullish(hintsSchema),
  targetRef: nullish(targetSchema),
  topology: nullish(recordSchema(stringSchema)),
})

const portSchema = objectSchema<SlicePort, 'appProtocol'>({
  name: nullish(dnsLabelOrEmptySchema),
  protocol: nullish(protocolSchema),
  port: nullish(portNumberOrZeroSchema),
})

/**
 * The schema of an EndpointSlice: its structure, names and ranges. The addresses and the address type may be any text,
 * like in kube-proxy.
 */
export const endpointSliceSchema: z.ZodMiniType<EndpointSlice, EndpointSlice> = objectSchema<EndpointSlice>({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('EndpointSlice'),
  metadata: objectMetaSchema(dnsSubdomainSchema),
  addressType: stringSchema,
  endpoints: nullish(listSchema(endpointSchema)),
  ports: nullish(listSchema(portSchema)),
})

/** Validates an EndpointSlice and returns the same object, or all problems. */
export function safeParseEndpointSlice(value: unknown): Result<EndpointSlice> {
  return safeParseWith(endpointSliceSchema, 'EndpointSlice', value)
}
