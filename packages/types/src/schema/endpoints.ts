import type * as z from 'zod/mini'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../kubernetes/endpoints.js'
import type { Result } from '../result.js'
import {
  dnsLabelOrEmptySchema,
  dnsSubdomainSchema,
  kindSchema,
  listSchema,
  nullish,
  objectSchema,
  portNumberOrZeroSchema,
  protocolSchema,
  stringSchema,
} from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const addressSchema = objectSchema<EndpointAddress, 'hostname' | 'targetRef'>({
  ip: stringSchema,
  nodeName: nullish(stringSchema),
})

const portSchema = objectSchema<EndpointPort, 'appProtocol'>({
  name: nullish(dnsLabelOrEmptySchema),
  protocol: nullish(protocolSchema),
  port: portNumberOrZeroSchema,
})

const subsetSchema = objectSchema<EndpointSubset>({
  addresses: nullish(listSchema(addressSchema)),
  notReadyAddresses: nullish(listSchema(addressSchema)),
  ports: nullish(listSchema(portSchema)),
})

/**
 * The schema of an Endpoints object: its structure, names and ranges. The addresses may be any text, like in
 * kube-proxy.
 */
export const endpointsSchema: z.ZodMiniType<Endpoints, Endpoints> = objectSchema<Endpoints>({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('Endpoints'),
  metadata: objectMetaSchema(dnsSubdomainSchema),
  subsets: nullish(listSchema(subsetSchema)),
})

/** Validates an Endpoints object and returns the same object, or all problems. */
export function safeParseEndpoints(value: unknown): Result<Endpoints> {
  return safeParseWith(endpointsSchema, 'Endpoints', value)
}
