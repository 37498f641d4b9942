import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { readSlices, type SliceFields } from './slice-facts.js'

/** The EndpointSlice that lists an endpoint, and the pod of the endpoint. */
export interface EndpointOrigin {
  /** The name of the EndpointSlice in the namespace of the Service. */
  readonly slice: string
  /** The pod of the EndpointSlice, or of another EndpointSlice with the same address; absent if none names a pod. */
  readonly pod?: { readonly namespace: string; readonly name: string } | undefined
  /** Whether the EndpointSlice refers to an object. */
  readonly isOfObject: boolean
  /** Whether its controller may write the EndpointSlice, for the selector of the Service. */
  readonly mayBeManaged: boolean
}

/**
 * Creates a function that finds the EndpointSlice of an endpoint of a Service, and its pod. The function returns
 * undefined if no EndpointSlice of the Service lists the endpoint. The EndpointSlices are read once, at the first call.
 */
export function createEndpointOrigins(
  input: CompileInput,
): (service: ServicePortId, endpoint: Pick<Endpoint, 'ip'>) => EndpointOrigin | undefined {
  const listings = createLazyGetter(() => indexListings(input))
  return (service, { ip }) => {
    const listed = listings().get(ip) ?? []
    const own = listed.find(({ slice }) => slice.namespace === service.namespace && slice.service === service.name)
    if (own === undefined) return undefined
    const { slice, targetRef, pod = listed.find((each) => each.pod !== undefined)?.pod } = own
    return {
      slice: slice.name,
      pod,
      isOfObject: isObject(targetRef),
      mayBeManaged: mayBeManaged(slice) && hasSelector(input, service),
    }
  }
}

/** An address in an EndpointSlice. */
interface Listing {
  readonly slice: SliceFields
  readonly targetRef: unknown
  readonly pod: EndpointOrigin['pod']
}

/** Returns the places of EndpointSlices that list an address, by the address. */
function indexListings(input: CompileInput): ReadonlyMap<string, readonly Listing[]> {
  const listings = new Map<string, Listing[]>()
  for (const slice of readSlices(input)) {
    for (const { addresses, targetRef } of slice.endpoints) {
      const listing = { slice, targetRef, pod: podOf(slice, targetRef) }
      for (const address of Array.isArray(addresses) ? addresses : []) addToGroup(listings, address, listing)
    }
  }
  return listings
}

function podOf({ namespace }: SliceFields, targetRef: unknown): EndpointOrigin['pod'] {
  if (!isObject(targetRef) || targetRef.kind !== 'Pod') return undefined
  const { name, namespace: own = namespace } = targetRef
  return typeof name === 'string' && typeof own === 'string' ? { namespace: own, name } : undefined
}

/** Reports whether the controller may have written an EndpointSlice. Manifests often leave out its label. */
function mayBeManaged({ managedBy }: SliceFields): boolean {
  return managedBy === undefined || managedBy === 'endpointslice-controller.k8s.io'
}

function hasSelector({ services }: CompileInput, { namespace, name }: ServicePortId): boolean {
  for (const service of itemsOfArgument('services', 'Service', services)) {
    const { metadata, spec } = service ?? {}
    if (metadata?.namespace !== namespace || metadata.name !== name) continue
    return isObject(spec) && isObject(spec.selector) && Object.keys(spec.selector).length > 0
  }
  return false
}
