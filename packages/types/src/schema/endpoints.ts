import type * as z from 'zod/mini'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../kubernetes/endpoints.js'
import type { Result } from '../result.js'
import {
  dnsLabelOrEmptySchema,
  dnsSubdomainSchema,
  kindSchema,
  listSchema,
  nullish,
  type ObjectShape,
  objectSchema,
  portNumberOrZeroSchema,
  protocolSchema,
  stringSchema,
} from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const addressSchema = objectSchema({
  ip: stringSchema,
  nodeName: nullish(stringSchema),
} satisfies ObjectShape<EndpointAddress>)

const portSchema = objectSchema({
  name: nullish(dnsLabelOrEmptySchema),
  protocol: nullish(protocolSchema),
  port: portNumberOrZeroSchema,
} satisfies ObjectShape<EndpointPort>)

const subsetSchema = objectSchema({
  addresses: nullish(listSchema(addressSchema)),
  notReadyAddresses: nullish(listSchema(addressSchema)),
  ports: nullish(listSchema(portSchema)),
} satisfies ObjectShape<EndpointSubset>)

/**
 * The schema of an Endpoints object: its structure, names and ranges. The addresses may be any text, like in
 * kube-proxy.
 */
export const endpointsSchema: z.ZodMiniType<Endpoints, Endpoints> = objectSchema({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('Endpoints'),
  metadata: objectMetaSchema(dnsSubdomainSchema),
  subsets: nullish(listSchema(subsetSchema)),
} satisfies ObjectShape<Endpoints>)

/** Validates an Endpoints object and returns the same object, or all problems. */
export function safeParseEndpoints(value: unknown): Result<Endpoints> {
  return safeParseWith(endpointsSchema, 'Endpoints', value)
}
