import type * as z from 'zod/mini'
import type { ObjectMeta } from '../kubernetes/object-meta.js'
import { type AddressTemplate, dnsLabelOrEmpty, mapOf, nullish, objectOf, text } from './fields.js'

/** Builds the schema of metadata with a name, which every API object has. */
export function objectMetaOf(name: z.ZodMiniType<string, string>): z.ZodMiniType<ObjectMeta, ObjectMeta> {
  return objectOf({
    name,
    namespace: nullish(dnsLabelOrEmpty),
    labels: nullish(mapOf(text)),
    annotations: nullish(mapOf(text)),
  } satisfies AddressTemplate<ObjectMeta>)
}
