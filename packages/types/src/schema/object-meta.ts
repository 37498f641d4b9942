import type { z } from 'zod'
import type { ObjectMeta } from '../kubernetes/object-meta.js'
import { dnsLabelOrEmpty, mapOf, objectOf, type Shape, text } from './fields.js'

/** Metadata with a name, which every object of the API has. */
export function objectMetaOf(name: z.ZodType<string, string>): z.ZodType<ObjectMeta, ObjectMeta> {
  return objectOf({
    name,
    namespace: dnsLabelOrEmpty.nullish(),
    labels: mapOf(text).nullish(),
    annotations: mapOf(text).nullish(),
  } satisfies Shape<ObjectMeta>)
}
