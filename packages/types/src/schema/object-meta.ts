import type * as z from 'zod/mini'
import type { ObjectMeta } from '../kubernetes/object-meta.js'
import { labelOrEmptySchema, nullish, type ObjectShape, objectSchema, recordSchema, text } from './fields.js'

/** Builds the schema of metadata with a name, which every API object has. */
export function objectMetaSchema(name: z.ZodMiniType<string, string>): z.ZodMiniType<ObjectMeta, ObjectMeta> {
  return objectSchema({
    name,
    namespace: nullish(labelOrEmptySchema),
    labels: nullish(recordSchema(text)),
    annotations: nullish(recordSchema(text)),
  } satisfies ObjectShape<ObjectMeta>)
}
