import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { type Fields, isObject } from '@kube-rules/compiler/internal/model/reading/read-field'

/**
 * The fields of an EndpointSlice that diagnoses use. Missing and invalid fields are empty here, because `compile`
 * reports them.
 */
export interface SliceFields {
  readonly namespace: unknown
  /** The name of the Service of the EndpointSlice. */
  readonly service: unknown
  readonly annotations: Fields
  /** The endpoints, except items that are no objects. */
  readonly endpoints: readonly Fields[]
}

/** Reads the EndpointSlices of an input. */
export function readSlices({ endpointSlices = [] }: Pick<CompileInput, 'endpointSlices'>): readonly SliceFields[] {
  return Array.from(itemsOfArgument('endpointSlices', 'EndpointSlice', endpointSlices), readSliceFields)
}

/** Returns the fields of one EndpointSlice. */
export function readSliceFields(slice: unknown): SliceFields {
  const { metadata, endpoints } = fieldsOf(slice)
  const { namespace, labels, annotations } = fieldsOf(metadata)
  return {
    namespace,
    service: fieldsOf(labels)['kubernetes.io/service-name'],
    annotations: fieldsOf(annotations),
    endpoints: Array.isArray(endpoints) ? endpoints.filter(isObject) : [],
  }
}

/** Returns the fields of an object; no fields for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}
