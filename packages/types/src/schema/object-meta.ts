import type * as z from 'zod/mini'
import type { ObjectMeta } from '../kubernetes/object-meta.js'
import { dnsLabelOrEmptySchema, nullish, type ObjectShape, objectSchema, recordSchema, stringSchema } from './fields.js'

/** Builds the schema of the metadata of an API object. The name is required. */
export function objectMetaSchema(name: z.ZodMiniType<string, string>): z.ZodMiniType<ObjectMeta, ObjectMeta> {
  return objectSchema({
    name,
    namespace: nullish(dnsLabelOrEmptySchema),
    labels: nullish(recordSchema(stringSchema)),
    annotations: nullish(recordSchema(stringSchema)),
  } satisfies ObjectShape<ObjectMeta>)
}
