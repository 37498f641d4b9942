import type * as z from 'zod/mini'
import type { ServiceCIDR, ServiceCIDRSpec } from '../kubernetes/service-cidr.js'
import { dnsSubdomain, kindOf, listOf, nullish, objectOf, type Shape, text } from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { type ParseResult, parseWith, safeParseWith } from './parse-with.js'

const specSchema = objectOf({ cidrs: nullish(listOf(text)) } satisfies Shape<ServiceCIDRSpec>)

/** The shape and name of a ServiceCIDR; networks stay free text. */
export const serviceCIDRSchema: z.ZodMiniType<ServiceCIDR, ServiceCIDR> = objectOf({
  apiVersion: nullish(text),
  kind: kindOf('ServiceCIDR'),
  metadata: objectMetaOf(dnsSubdomain),
  spec: nullish(specSchema),
} satisfies Shape<ServiceCIDR>)

/** The same object typed as a ServiceCIDR, or every problem it has. */
export function safeParseServiceCIDR(value: unknown): ParseResult<ServiceCIDR> {
  return safeParseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}

/** The same object typed as a ServiceCIDR; throws a {@link DiagnosticsError} with every problem it has. */
export function parseServiceCIDR(value: unknown): ServiceCIDR {
  return parseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}
