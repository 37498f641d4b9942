import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { type LastEndpointChanges, toUnixSeconds } from './last-changes.js'
import { fieldsOf, readSlices } from './slice-fields.js'

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
