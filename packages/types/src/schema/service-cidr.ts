import type { z } from 'zod'
import type { ServiceCIDR, ServiceCIDRSpec } from '../kubernetes/service-cidr.js'
import { dnsSubdomain, kindOf, listOf, objectOf, type Shape, text } from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { type ParseResult, parseWith, safeParseWith } from './parse-with.js'

const specSchema = objectOf({ cidrs: listOf(text).nullish() } satisfies Shape<ServiceCIDRSpec>)

/** The shape and name of a ServiceCIDR; networks stay free text. */
export const serviceCIDRSchema: z.ZodType<ServiceCIDR, ServiceCIDR> = objectOf({
  apiVersion: text.nullish(),
  kind: kindOf('ServiceCIDR'),
  metadata: objectMetaOf(dnsSubdomain),
  spec: specSchema.nullish(),
} satisfies Shape<ServiceCIDR>)

/** The same object typed as a ServiceCIDR, or every problem it has. */
export function safeParseServiceCIDR(value: unknown): ParseResult<ServiceCIDR> {
  return safeParseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}

/** The same object typed as a ServiceCIDR; throws a {@link DiagnosticsError} with every problem it has. */
export function parseServiceCIDR(value: unknown): ServiceCIDR {
  return parseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}
