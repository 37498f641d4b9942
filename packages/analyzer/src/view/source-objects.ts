import { checkString } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import { findCachedService } from '@kube-rules/compiler/internal/compilation/cached-services'
import type { CompileResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import { snapshotOf } from '@kube-rules/compiler/internal/compilation/snapshot'
import { referenceOf } from '@kube-rules/compiler/internal/model/reading/metadata'
import type { ObjectReference } from '@kube-rules/types'
import { parseServiceReference } from './references.js'

/**
 * Returns the source objects of a service port (`default/web:http/TCP`) of a result: its Service and its
 * EndpointSlices. If there are no slices, returns its Endpoints object instead. Returns an empty list if the result has
 * no such Service, or if `compile` or `compileNodes` did not create the result in this process.
 */
export function sourceObjectsOf(result: CompileResult, servicePort: string): readonly ObjectReference[] {
  checkResult('result', result)
  checkString('servicePort', servicePort, 'a service port such as default/web:http/TCP')
  const [service] = parseServiceReference(servicePort)
  const snapshot = snapshotOf(result)
  const cached =
    service && snapshot && findCachedService(snapshot.cachedServices, `${service.namespace}/${service.name}`)
  const group = cached?.group
  if (group?.service === undefined) return []
  const { slices, endpoints } = group
  return [
    referenceOf('Service', group.service.original),
    ...slices.map(({ original }) => referenceOf('EndpointSlice', original)),
    ...(slices.length === 0 && endpoints !== undefined ? [referenceOf('Endpoints', endpoints.original)] : []),
  ]
}
