import type { z } from 'zod'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../kubernetes/endpoints.js'
import {
  dnsLabelOrEmpty,
  dnsSubdomain,
  kindOf,
  listOf,
  objectOf,
  portOrZero,
  protocol,
  type Shape,
  text,
} from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { type ParseResult, parseWith, safeParseWith } from './parse-with.js'

const addressSchema = objectOf({ ip: text, nodeName: text.nullish() } satisfies Shape<EndpointAddress>)

const portSchema = objectOf({
  name: dnsLabelOrEmpty.nullish(),
  protocol: protocol.nullish(),
  port: portOrZero,
} satisfies Shape<EndpointPort>)

const subsetSchema = objectOf({
  addresses: listOf(addressSchema).nullish(),
  notReadyAddresses: listOf(addressSchema).nullish(),
  ports: listOf(portSchema).nullish(),
} satisfies Shape<EndpointSubset>)

/** The shape, names and ranges of an Endpoints object; addresses stay free text, as for kube-proxy. */
export const endpointsSchema: z.ZodType<Endpoints, Endpoints> = objectOf({
  apiVersion: text.nullish(),
  kind: kindOf('Endpoints'),
  metadata: objectMetaOf(dnsSubdomain),
  subsets: listOf(subsetSchema).nullish(),
} satisfies Shape<Endpoints>)

/** The same object typed as an Endpoints object, or every problem it has. */
export function safeParseEndpoints(value: unknown): ParseResult<Endpoints> {
  return safeParseWith(endpointsSchema, 'Endpoints', value)
}

/** The same object typed as an Endpoints object; throws a {@link DiagnosticsError} with every problem it has. */
export function parseEndpoints(value: unknown): Endpoints {
  return parseWith(endpointsSchema, 'Endpoints', value)
}
