import type * as z from 'zod/mini'
import type { ServiceCIDR, ServiceCIDRSpec } from '../kubernetes/service-cidr.js'
import type { Result } from '../result.js'
import { dnsSubdomainSchema, kindSchema, listSchema, nullish, objectSchema, stringSchema } from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const specSchema = objectSchema<ServiceCIDRSpec>({ cidrs: nullish(listSchema(stringSchema)) })

/** The schema of a ServiceCIDR: its structure and name. The networks may be any text. */
const serviceCIDRSchema: z.ZodMiniType<ServiceCIDR, ServiceCIDR> = objectSchema<ServiceCIDR>({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('ServiceCIDR'),
  metadata: objectMetaSchema(dnsSubdomainSchema),
  spec: nullish(specSchema),
})

/** Validates a ServiceCIDR and returns the same object, or all problems. */
export function safeParseServiceCIDR(value: unknown): Result<ServiceCIDR> {
  return safeParseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}
