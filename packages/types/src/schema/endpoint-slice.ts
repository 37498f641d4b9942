import type { z } from 'zod'
import type {
  EndpointConditions,
  EndpointHints,
  EndpointSlice,
  EndpointTarget,
  SliceEndpoint,
  SlicePort,
} from '../kubernetes/endpoint-slice.js'
import {
  dnsLabelOrEmpty,
  dnsSubdomain,
  flag,
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

const conditionsSchema = objectOf({
  ready: flag.nullish(),
  serving: flag.nullish(),
  terminating: flag.nullish(),
} satisfies Shape<EndpointConditions>)

const hintSchema = objectOf({ name: text })

const hintsSchema = objectOf({
  forZones: listOf(hintSchema).nullish(),
  forNodes: listOf(hintSchema).nullish(),
} satisfies Shape<EndpointHints>)

const targetSchema = objectOf({
  kind: text.nullish(),
  name: text.nullish(),
} satisfies Shape<EndpointTarget>)

const endpointSchema = objectOf({
  addresses: listOf(text),
  conditions: conditionsSchema.nullish(),
  nodeName: text.nullish(),
  zone: text.nullish(),
  hints: hintsSchema.nullish(),
  targetRef: targetSchema.nullish(),
} satisfies Shape<SliceEndpoint>)

const portSchema = objectOf({
  name: dnsLabelOrEmpty.nullish(),
  protocol: protocol.nullish(),
  port: portOrZero.nullish(),
} satisfies Shape<SlicePort>)

/** The shape, names and ranges of an EndpointSlice; addresses and address type stay free text, as for kube-proxy. */
export const endpointSliceSchema: z.ZodType<EndpointSlice, EndpointSlice> = objectOf({
  apiVersion: text.nullish(),
  kind: kindOf('EndpointSlice'),
  metadata: objectMetaOf(dnsSubdomain),
  addressType: text,
  endpoints: listOf(endpointSchema).nullish(),
  ports: listOf(portSchema).nullish(),
} satisfies Shape<EndpointSlice>)

/** The same object typed as an EndpointSlice, or every problem it has. */
export function safeParseEndpointSlice(value: unknown): ParseResult<EndpointSlice> {
  return safeParseWith(endpointSliceSchema, 'EndpointSlice', value)
}

/** The same object typed as an EndpointSlice; throws a {@link DiagnosticsError} with every problem it has. */
export function parseEndpointSlice(value: unknown): EndpointSlice {
  return parseWith(endpointSliceSchema, 'EndpointSlice', value)
}
