import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
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
  /** Whether the EndpointSlice refers to an object, or its controller writes it for the selector of the Service. */
  readonly isOfObject: boolean
}

/** Finds the EndpointSlice of an endpoint of a Service, and its pod. Undefined if no EndpointSlice lists the endpoint. */
export function findEndpointOrigin(
  input: CompileInput,
  service: ServicePortId,
  { ip }: Pick<Endpoint, 'ip'>,
): EndpointOrigin | undefined {
  const listed = readSlices(input).flatMap((slice) =>
    slice.endpoints
      .filter(({ addresses }) => Array.isArray(addresses) && addresses.includes(ip))
      .map(({ targetRef }) => ({ slice, targetRef, pod: podOf(slice, targetRef) })),
  )
  const own = listed.find(({ slice }) => slice.namespace === service.namespace && slice.service === service.name)
  if (own === undefined) return undefined
  const { slice, targetRef, pod = listed.find((each) => each.pod !== undefined)?.pod } = own
  return {
    slice: slice.name,
    pod,
    isOfObject: isObject(targetRef) || (mayBeManaged(slice) && hasSelector(input, service)),
  }
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
