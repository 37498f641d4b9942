import type * as z from 'zod/mini'
import type { ServiceCIDR, ServiceCIDRSpec } from '../kubernetes/service-cidr.js'
import type { Result } from '../result.js'
import {
  dnsSubdomainSchema,
  kindSchema,
  listSchema,
  nullish,
  type ObjectShape,
  objectSchema,
  stringSchema,
} from './fields.js'
import { objectMetaSchema } from './object-meta.js'
import { safeParseWith } from './parse-with.js'

const specSchema = objectSchema({ cidrs: nullish(listSchema(stringSchema)) } satisfies ObjectShape<ServiceCIDRSpec>)

/** The schema of a ServiceCIDR: its structure and name. The networks may be any text. */
const serviceCIDRSchema: z.ZodMiniType<ServiceCIDR, ServiceCIDR> = objectSchema({
  apiVersion: nullish(stringSchema),
  kind: kindSchema('ServiceCIDR'),
  metadata: objectMetaSchema(dnsSubdomainSchema),
  spec: nullish(specSchema),
} satisfies ObjectShape<ServiceCIDR>)

/** Validates a ServiceCIDR and returns the same object, or all problems. */
export function safeParseServiceCIDR(value: unknown): Result<ServiceCIDR> {
  return safeParseWith(serviceCIDRSchema, 'ServiceCIDR', value)
}
