import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { sourceObjectsOf } from '@kube-rules/compiler/internal/model/reading/object-list'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { type LastChanges, secondsOf } from './last-changes.js'

// Annotations of EndpointSlices without effect on rules, for messages.

const TIME_OF_CHANGE = 'endpoints.kubernetes.io/last-change-trigger-time'
const SERVICE_OF_SLICE = 'kubernetes.io/service-name'

/**
 * Returns the last endpoint changes from an annotation of the EndpointSlice controller; Services without it are left
 * out.
 */
export function lastChangesOf({ endpointSlices = [] }: Pick<CompileInput, 'endpointSlices'>): LastChanges {
  const found = new Map<string, string>()
  for (const slice of sourceObjectsOf('endpointSlices', 'EndpointSlice', endpointSlices)) {
    const { namespace, labels, annotations } = slice?.metadata ?? {}
    const [name, time] = [labels?.[SERVICE_OF_SLICE], annotations?.[TIME_OF_CHANGE]]
    if (typeof name !== 'string' || secondsOf(time) === undefined) continue
    const key = `${namespace}/${name}`
    if ((found.get(key) ?? '') < (time as string)) found.set(key, time as string)
  }
  return found
}

/** Returns the pod name of an endpoint of a Service, from its EndpointSlice; undefined if there is none. */
export function podBehind(
  { endpointSlices = [] }: Pick<CompileInput, 'endpointSlices'>,
  { namespace, name }: ServicePortId,
  { text, nodeName, ready, terminating }: Endpoint,
): string | undefined {
  for (const slice of sourceObjectsOf('endpointSlices', 'EndpointSlice', endpointSlices)) {
    const { metadata, endpoints } = slice ?? {}
    if (metadata?.namespace !== namespace || metadata?.labels?.['kubernetes.io/service-name'] !== name) continue
    for (const { addresses, conditions, nodeName: node, targetRef } of endpoints ?? []) {
      const isIt =
        addresses.some((address) => text.startsWith(`${address}:`) || text.startsWith(`[${address}]:`)) &&
        (node ?? '') === nodeName &&
        (conditions?.ready !== false) === ready &&
        (conditions?.terminating === true) === terminating
      if (isIt && targetRef?.kind === 'Pod' && typeof targetRef.name === 'string') return targetRef.name
    }
  }
  return undefined
}
