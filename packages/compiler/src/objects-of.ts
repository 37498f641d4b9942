import type { ObjectReference } from '@kube-rules/types'
import type { CompileResult } from './compilation/compile-result.js'
import { recordAt } from './compilation/records.js'
import { snapshotOf } from './compilation/snapshot.js'
import { referenceOf } from './reading/metadata.js'
import { serviceOf } from './view/references.js'

/**
 * The objects that a service port (`default/web:http/TCP`) of a result comes from: its Service, and the EndpointSlices of
 * it, or without any its Endpoints. Empty where the result has no such Service, and where it was not made by `compile` or `compileNodes`
 * of this process.
 */
export function objectsOf(result: CompileResult, servicePort: string): readonly ObjectReference[] {
  const [service] = serviceOf(servicePort)
  const snapshot = snapshotOf(result)
  const record = service && snapshot && recordAt(snapshot.records, `${service.namespace}/${service.name}`)
  const group = record?.group
  if (group?.service === undefined) return []
  const { slices, endpoints } = group
  return [
    referenceOf('Service', group.service.given),
    ...slices.map(({ given }) => referenceOf('EndpointSlice', given)),
    ...(slices.length === 0 && endpoints !== undefined ? [referenceOf('Endpoints', endpoints.given)] : []),
  ]
}
