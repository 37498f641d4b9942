import type * as z from 'zod/mini'
import type { ObjectMeta } from '../kubernetes/object-meta.js'
import { dnsLabelOrEmptySchema, nullish, objectSchema, recordSchema, stringSchema } from './fields.js'

/** Builds the schema of the metadata of an API object. The name is required. */
export function objectMetaSchema(name: z.ZodMiniType<string, string>): z.ZodMiniType<ObjectMeta, ObjectMeta> {
  return objectSchema<
    ObjectMeta,
    | 'uid'
    | 'generateName'
    | 'resourceVersion'
    | 'generation'
    | 'creationTimestamp'
    | 'deletionTimestamp'
    | 'finalizers'
    | 'ownerReferences'
  >({
    name,
    namespace: nullish(dnsLabelOrEmptySchema),
    labels: nullish(recordSchema(stringSchema)),
    annotations: nullish(recordSchema(stringSchema)),
  })
}
