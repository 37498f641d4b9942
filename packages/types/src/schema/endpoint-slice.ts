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
  type AddressTemplate,
  dnsLabelOrEmpty,
  dnsSubdomain,
  flag,
  kindOf,
  listOf,
  mapOf,
  nullish,
  objectOf,
  portOrZero,
  protocol,
  text,
} from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { parseWith, safeParseWith } from './parse-with.js'

const conditionsSchema = objectOf({
  ready: nullish(flag),
  serving: nullish(flag),
  terminating: nullish(flag),
} satisfies AddressTemplate<EndpointConditions>)

const hintSchema = objectOf({ name: text })

const hintsSchema = objectOf({
  forZones: nullish(listOf(hintSchema)),
  forNodes: nullish(listOf(hintSchema)),
} satisfies AddressTemplate<EndpointHints>)

const targetSchema = objectOf({
  kind: nullish(text),
  name: nullish(text),
} satisfies AddressTemplate<EndpointTarget>)

const endpointSchema = objectOf({
  addresses: listOf(text),
  conditions: nullish(conditionsSchema),
  nodeName: nullish(text),
  zone: nullish(text),
  hints: nullish(hintsSchema),
  targetRef: nullish(targetSchema),
  topology: nullish(mapOf(text)),
} satisfies AddressTemplate<SliceEndpoint>)

const portSchema = objectOf({
  name: nullish(dnsLabelOrEmpty),
  protocol: nullish(protocol),
  port: nullish(portOrZero),
} satisfies AddressTemplate<SlicePort>)

/** The structure, names and ranges of an EndpointSlice. Addresses and address type are free text, as for kube-proxy. */
export const endpointSliceSchema: z.ZodMiniType<EndpointSlice, EndpointSlice> = objectOf({
  apiVersion: nullish(text),
  kind: kindOf('EndpointSlice'),
  metadata: objectMetaOf(dnsSubdomain),
  addressType: text,
  endpoints: nullish(listOf(endpointSchema)),
  ports: nullish(listOf(portSchema)),
} satisfies AddressTemplate<EndpointSlice>)

/** Validates an EndpointSlice and returns the same object, or all problems. */
export function safeParseEndpointSlice(value: unknown): Result<EndpointSlice> {
  return safeParseWith(endpointSliceSchema, 'EndpointSlice', value)
}

/**
 * Validates an EndpointSlice and returns the same object.
 *
 * @throws a {@link DiagnosticsError} with all problems.
 */
export function parseEndpointSlice(value: unknown): EndpointSlice {
  return parseWith(endpointSliceSchema, 'EndpointSlice', value)
}
