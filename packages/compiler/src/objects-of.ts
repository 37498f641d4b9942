import type { ObjectReference } from '@kube-rules/types'
import type { CompileResult } from './compilation/compile-result.js'
import { heldGroup } from './compilation/held-sessions.js'
import { referenceOf } from './reading/metadata.js'
import { serviceOf } from './view/references.js'

/**
 * The objects that a service port (`default/web:http/TCP`) of a result comes from: its Service, and the EndpointSlices of
 * it, or without any its Endpoints. Empty where the result has no such Service, and where it was not made by `compile` or `compileNodes`
 * of this process.
 */
export function objectsOf(result: CompileResult, servicePort: string): readonly ObjectReference[] {
  const [service] = serviceOf(servicePort)
  const group = service && heldGroup(result, `${service.namespace}/${service.name}`)
  if (group?.service === undefined) return []
  const { slices, endpoints } = group
  return [
    referenceOf('Service', group.service.given),
    ...slices.map(({ given }) => referenceOf('EndpointSlice', given)),
    ...(slices.length === 0 && endpoints !== undefined ? [referenceOf('Endpoints', endpoints.given)] : []),
  ]
}
