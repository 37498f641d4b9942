import type { CompileInput } from '@kube-rules/compiler/internal/compilation/compile-result'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import { type Fields, isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { EndpointSlice, Service } from '@kube-rules/types'
import type { ServiceName } from '../service-alternatives.js'
import type { StepChange } from './step-change.js'

type DeletedPod = Extract<StepChange, { readonly kind: 'deletePod' }>
type RemovedEndpoint = Extract<StepChange, { readonly kind: 'removeEndpoint' }>
type RenamedPort = Extract<StepChange, { readonly kind: 'renamePort' }>

/** Returns the input after a change of its objects. A change of the rules or of kube-proxy returns the same input. */
export function changeInput(input: CompileInput, change: StepChange): CompileInput {
  switch (change.kind) {
    case 'patchService':
      return { ...input, services: editService(input, change, (spec) => ({ ...spec, ...change.spec })) }
    case 'removeExternalIP':
      return { ...input, services: editService(input, change, (spec) => withoutExternalIP(spec, change.address)) }
    case 'removeEndpoint':
      return { ...input, endpointSlices: withoutEndpoint(input, change) }
    case 'renamePort':
      return {
        ...input,
        services: editService(input, change, (spec) => withPortName(spec, change)),
        endpointSlices: renameSlicePorts(input, change),
      }
    case 'deletePod':
      return { ...input, endpointSlices: withoutPod(input, change) }
    default:
      return input
  }
}

/** Edits `spec` of one Service. A patch replaces each of its fields, and null removes a field, as in `kubectl patch`. */
function editService(
  { services }: CompileInput,
  { namespace, name }: ServiceName,
  edit: (spec: Fields) => Fields,
): readonly Service[] {
  return Array.from(itemsOfArgument('services', 'Service', services), (service) => {
    if (service?.metadata?.namespace !== namespace || service.metadata.name !== name) return service
    return { ...service, spec: edit(isObject(service.spec) ? service.spec : {}) } as Service
  })
}

function withoutExternalIP(spec: Fields, address: string): Fields {
  const { externalIPs } = spec
  return { ...spec, externalIPs: Array.isArray(externalIPs) ? externalIPs.filter((each) => each !== address) : [] }
}

/** Removes the endpoints with an address from one EndpointSlice. */
function withoutEndpoint({ endpointSlices = [] }: CompileInput, change: RemovedEndpoint): readonly EndpointSlice[] {
  return Array.from(itemsOfArgument('endpointSlices', 'EndpointSlice', endpointSlices), (slice) => {
    const { metadata, endpoints } = slice ?? {}
    const isListed = metadata?.namespace === change.namespace && metadata.name === change.slice
    if (!isListed || !Array.isArray(endpoints)) return slice
    return { ...slice, endpoints: endpoints.filter((each) => !hasAddress(each, change.address)) } as EndpointSlice
  })
}

function hasAddress(endpoint: unknown, address: string): boolean {
  return isObject(endpoint) && Array.isArray(endpoint.addresses) && endpoint.addresses.includes(address)
}

/** Renames a port in the `ports` of a Service or of an EndpointSlice. */
function withPortName(fields: Fields, { from, to }: RenamedPort): Fields {
  const { ports } = fields
  const rename = (port: unknown) => (isObject(port) && (port.name ?? '') === from ? { ...port, name: to } : port)
  return { ...fields, ports: Array.isArray(ports) ? ports.map(rename) : [] }
}

/** Renames the port in the EndpointSlices of the Service, as their controller does. */
function renameSlicePorts({ endpointSlices = [] }: CompileInput, change: RenamedPort): readonly EndpointSlice[] {
  return Array.from(itemsOfArgument('endpointSlices', 'EndpointSlice', endpointSlices), (slice) => {
    const { namespace, labels } = slice?.metadata ?? {}
    const isOfService = namespace === change.namespace && labels?.['kubernetes.io/service-name'] === change.name
    return isOfService ? (withPortName({ ...slice }, change) as unknown as EndpointSlice) : slice
  })
}

/** Removes the endpoints of a pod from its EndpointSlices. */
function withoutPod({ endpointSlices = [] }: CompileInput, pod: DeletedPod): readonly EndpointSlice[] {
  return Array.from(itemsOfArgument('endpointSlices', 'EndpointSlice', endpointSlices), (slice) => {
    const { endpoints } = slice ?? {}
    if (slice?.metadata?.namespace !== pod.namespace || !Array.isArray(endpoints)) return slice
    return { ...slice, endpoints: endpoints.filter((each) => !isOfPod(each, pod)) } as EndpointSlice
  })
}

function isOfPod(endpoint: unknown, { name }: DeletedPod): boolean {
  const target = isObject(endpoint) ? endpoint.targetRef : undefined
  return isObject(target) && target.kind === 'Pod' && target.name === name
}
