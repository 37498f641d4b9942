import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { type Fields, isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { type LastEndpointChanges, toUnixSeconds } from './last-changes.js'

// The EndpointSlice controller sets this annotation. Its value only appears in messages.

const TIME_OF_CHANGE = 'endpoints.kubernetes.io/last-change-trigger-time'

/**
 * Returns the time of the last endpoint change of each Service, from an annotation of the EndpointSlice controller.
 * Services without this annotation are left out.
 */
export function readLastEndpointChanges(input: Pick<CompileInput, 'endpointSlices'>): LastEndpointChanges {
  const timesByService = new Map<string, string>()
  for (const { namespace, service, annotations } of readSlices(input)) {
    const time = annotations[TIME_OF_CHANGE]
    if (typeof service !== 'string' || typeof time !== 'string' || toUnixSeconds(time) === undefined) continue
    const key = `${namespace}/${service}`
    if ((timesByService.get(key) ?? '') < time) timesByService.set(key, time)
  }
  return timesByService
}

/** Returns the pod name of an endpoint of a Service from its EndpointSlice; undefined if the slice names no pod. */
export function findPodName(
  input: Pick<CompileInput, 'endpointSlices'>,
  { namespace, name }: ServicePortId,
  { text, nodeName, ready, terminating }: Endpoint,
): string | undefined {
  for (const slice of readSlices(input)) {
    if (slice.namespace !== namespace || slice.service !== name) continue
    for (const { addresses, conditions, nodeName: node, targetRef } of slice.endpoints) {
      const { ready: isReady, terminating: isTerminating } = fieldsOf(conditions)
      const isIt =
        Array.isArray(addresses) &&
        addresses.some((address) => text.startsWith(`${address}:`) || text.startsWith(`[${address}]:`)) &&
        (node ?? '') === nodeName &&
        (isReady !== false) === ready &&
        (isTerminating === true) === terminating
      const { kind, name: pod } = fieldsOf(targetRef)
      if (isIt && kind === 'Pod' && typeof pod === 'string') return pod
    }
  }
  return undefined
}

/**
 * The fields of an EndpointSlice that diagnoses use. Missing and invalid fields are empty here, because `compile`
 * reports them.
 */
export interface SliceFields {
  readonly namespace: unknown
  /** The name; empty if it is missing. */
  readonly name: string
  /** The name of the Service of the EndpointSlice. */
  readonly service: unknown
  /** The program that writes the EndpointSlice, from its label. */
  readonly managedBy: unknown
  readonly annotations: Fields
  readonly addressType: unknown
  /** The ports, except items that are no objects. */
  readonly ports: readonly Fields[]
  /** The endpoints, except items that are no objects. */
  readonly endpoints: readonly Fields[]
}

/** An EndpointSlice or a subset of an Endpoints object, as a list of endpoints of a Service. */
export type EndpointList = Pick<
  SliceFields,
  'namespace' | 'name' | 'service' | 'addressType' | 'ports' | 'endpoints'
> & {
  readonly kind: 'EndpointSlice' | 'Endpoints'
}

/** Reads the EndpointSlices and the Endpoints objects of an input. Addresses of a subset are of one family. */
export function readEndpointLists(input: Pick<CompileInput, 'endpointSlices' | 'endpoints'>): readonly EndpointList[] {
  const subsets = Array.from(itemsOfArgument('endpoints', 'Endpoints', input.endpoints ?? [])).flatMap((object) => {
    const { namespace, name } = fieldsOf(object?.metadata)
    return objectsOf(object?.subsets).map(({ addresses, notReadyAddresses, ports }): EndpointList => {
      const endpoints = [...objectsOf(addresses), ...objectsOf(notReadyAddresses)]
      const addressType = String(endpoints[0]?.ip).includes(':') ? 'IPv6' : 'IPv4'
      return {
        kind: 'Endpoints',
        namespace,
        name: String(name),
        service: name,
        addressType,
        ports: objectsOf(ports),
        endpoints,
      }
    })
  })
  return [...readSlices(input).map((slice) => ({ kind: 'EndpointSlice' as const, ...slice })), ...subsets]
}

/** Reads the EndpointSlices of an input. */
export function readSlices({ endpointSlices = [] }: Pick<CompileInput, 'endpointSlices'>): readonly SliceFields[] {
  return Array.from(itemsOfArgument('endpointSlices', 'EndpointSlice', endpointSlices), readSliceFields)
}

/** Returns the fields of one EndpointSlice. */
export function readSliceFields(slice: unknown): SliceFields {
  const { metadata, endpoints, ports, addressType } = fieldsOf(slice)
  const { namespace, name, labels, annotations } = fieldsOf(metadata)
  return {
    namespace,
    name: typeof name === 'string' ? name : '',
    service: fieldsOf(labels)['kubernetes.io/service-name'],
    managedBy: fieldsOf(labels)['endpointslice.kubernetes.io/managed-by'],
    annotations: fieldsOf(annotations),
    addressType,
    ports: objectsOf(ports),
    endpoints: objectsOf(endpoints),
  }
}

/** Returns the objects of a list; none for any other value. */
function objectsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Returns the fields of an object; no fields for any other value. */
function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}
