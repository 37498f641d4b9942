import type { CompileInput } from '../compilation/compile-result.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { objectsOf } from '../reading/object-list.js'
import type { ServicePortId } from '../services/service-port.js'

/** The name of the pod that an endpoint of a Service is, as the EndpointSlice that lists it so says; undefined where none does. */
export function podBehind(
  { endpointSlices = [] }: Pick<CompileInput, 'endpointSlices'>,
  { namespace, name }: ServicePortId,
  { text, nodeName, ready, terminating }: Endpoint,
): string | undefined {
  for (const slice of objectsOf('endpointSlices', 'EndpointSlice', endpointSlices)) {
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
