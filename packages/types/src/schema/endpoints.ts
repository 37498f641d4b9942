import type * as z from 'zod/mini'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../kubernetes/endpoints.js'
import type { Result } from '../result.js'
import {
  type AddressTemplate,
  dnsLabelOrEmpty,
  dnsSubdomain,
  kindOf,
  listOf,
  nullish,
  objectOf,
  portOrZero,
  protocol,
  text,
} from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { parseWith, safeParseWith } from './parse-with.js'

const addressSchema = objectOf({ ip: text, nodeName: nullish(text) } satisfies AddressTemplate<EndpointAddress>)

const portSchema = objectOf({
  name: nullish(dnsLabelOrEmpty),
  protocol: nullish(protocol),
  port: portOrZero,
} satisfies AddressTemplate<EndpointPort>)

const subsetSchema = objectOf({
  addresses: nullish(listOf(addressSchema)),
  notReadyAddresses: nullish(listOf(addressSchema)),
  ports: nullish(listOf(portSchema)),
} satisfies AddressTemplate<EndpointSubset>)

/** The structure, names and ranges of an Endpoints object. Addresses are free text, as for kube-proxy. */
export const endpointsSchema: z.ZodMiniType<Endpoints, Endpoints> = objectOf({
  apiVersion: nullish(text),
  kind: kindOf('Endpoints'),
  metadata: objectMetaOf(dnsSubdomain),
  subsets: nullish(listOf(subsetSchema)),
} satisfies AddressTemplate<Endpoints>)

/** Validates an Endpoints object and returns the same object, or all problems. */
export function safeParseEndpoints(value: unknown): Result<Endpoints> {
  return safeParseWith(endpointsSchema, 'Endpoints', value)
}

/**
 * Validates an Endpoints object and returns the same object.
 *
 * @throws a {@link DiagnosticsError} with all problems.
 */
export function parseEndpoints(value: unknown): Endpoints {
  return parseWith(endpointsSchema, 'Endpoints', value)
}
