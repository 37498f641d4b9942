import type { EndpointSlice, Service } from '@kube-rules/types'
import type { CompileInput } from '../compilation/compile-result.js'
import { reuseIfEqual } from '../internal/plain-data.js'
import { formatObjectKey, referenceOf } from '../model/reading/metadata.js'
import { itemsOfArgument, type ObjectList } from '../model/reading/object-list.js'
import { readArgument } from '../model/reading/read-safely.js'

/**
 * Returns both inputs with lists as arrays. If a Service or EndpointSlice is equal in both inputs, the later input gets
 * the identical object of the earlier one, so that the object is read and compared only once.
 */
export function shareEqualObjects(
  before: CompileInput,
  after: CompileInput,
): { readonly before: CompileInput; readonly after: CompileInput } {
  return readArgument('input', () => {
    const [older, newer] = [withArrays(before), withArrays(after)]
    const services = reuseEqual('Service', older.services, newer.services)
    const endpointSlices = reuseEqual('EndpointSlice', older.endpointSlices, newer.endpointSlices)
    return { before: older, after: { ...newer, services, endpointSlices } }
  })
}

type WithArrays = CompileInput & {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
}

function withArrays(input: CompileInput): WithArrays {
  const arrayOf = <T>(name: string, kind: string, list: ObjectList<T> | undefined) =>
    list && [...itemsOfArgument(name, kind, list)]
  return {
    ...input,
    services: [...itemsOfArgument('services', 'Service', input.services)],
    endpointSlices: [...itemsOfArgument('endpointSlices', 'EndpointSlice', input.endpointSlices ?? [])],
    endpoints: arrayOf('endpoints', 'Endpoints', input.endpoints),
    nodes: arrayOf('nodes', 'Node', input.nodes),
    serviceCIDRs: arrayOf('serviceCIDRs', 'ServiceCIDR', input.serviceCIDRs),
  }
}

function reuseEqual<T>(kind: string, before: readonly T[], after: readonly T[]): readonly T[] {
  const keyOf = (object: T) => formatObjectKey(referenceOf(kind, object))
  const known = new Map(before.map((object) => [keyOf(object), object]))
  return after.map((object) => reuseIfEqual(object, known.get(keyOf(object))))
}
