import type * as z from 'zod/mini'
import type { ServiceCIDR, ServiceCIDRSpec } from '../kubernetes/service-cidr.js'
import type { Result } from '../result.js'
import { type AddressTemplate, dnsSubdomain, kindOf, listOf, nullish, objectOf, text } from './fields.js'
import { objectMetaOf } from './object-meta.js'
import { parseWith, safeParseWith } from './parse-with.js'

const specSchema = objectOf({ cidrs: nullish(listOf(text)) } satisfies AddressTemplate<ServiceCIDRSpec>)

/** The structure and name of a ServiceCIDR. Networks are free text. */
export const serviceCIDRSchema: z.ZodMiniType<ServiceCIDR, ServiceCIDR> = objectOf({
  apiVersion: nullish(text),
  kind: kindOf('ServiceCIDR'),
  metadata: objectMetaOf(dnsSubdomain),
  spec: nullish(specSchema),
} satisfies AddressTemplate<ServiceCIDR>)

/** Validates a ServiceCIDR and returns the same object, or all problems. */
export function safeParseServiceCIDR(value: unknown): Result<ServiceCIDR> {
  return safeParseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}

/**
 * Validates a ServiceCIDR and returns the same object.
 *
 * @throws a {@link DiagnosticsError} with all problems.
 */
export function parseServiceCIDR(value: unknown): ServiceCIDR {
  return parseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}
