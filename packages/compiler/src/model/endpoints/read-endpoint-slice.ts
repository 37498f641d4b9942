import type { IpFamily, Protocol } from '@kube-rules/types'
import { compareValues } from '../../internal/compare-values.js'
import { elementAt } from '../../internal/known-items.js'
import { mapList } from '../../internal/map-list.js'
import type { Features } from '../configuration/features.js'
import {
  addTypeError,
  addWarning,
  createDiagnosticCollector,
  type DiagnosticCollector,
} from '../reading/diagnostic-collector.js'
import { referenceOf } from '../reading/metadata.js'
import {
  type Fields,
  isAbsent,
  isObject,
  readList,
  readOptionalPort,
  readProtocol,
  readString,
} from '../reading/read-field.js'
import { readSafely } from '../reading/read-safely.js'
import { type Endpoint, withPort } from './endpoint.js'
import type { EndpointsReadResult, PortEndpoints } from './endpoints-by-port.js'
import type { ModelContext } from './model-context.js'
import { type EndpointSliceContext, readSliceEndpoint } from './slice-endpoint.js'
import type { SliceHeader } from './slice-header.js'

/**
 * Reads the endpoints that a slice contributes to each port of its Service. Returns no endpoints if the family of the
 * slice is not compiled. An invalid endpoint or port is left out; the rest of the slice is used. Mirrors
 * `newEndpointSliceInfo` and `addEndpoints` of kube-proxy v1.30.
 */
export function readEndpointSlice(head: SliceHeader, context: ModelContext): EndpointsReadResult {
  const { family } = head
  if (family === undefined || !context.families.includes(family)) return NOTHING
  const collector = createDiagnosticCollector(referenceOf('EndpointSlice', head.original))
  const read = () => readPortEndpoints(collector, head.original, family, context)
  return { portEndpoints: readSafely(collector, read, []), diagnostics: collector.diagnostics }
}

function readPortEndpoints(
  collector: DiagnosticCollector,
  given: unknown,
  family: IpFamily,
  context: ModelContext,
): readonly PortEndpoints[] {
  const slice = isObject(given) ? given : {}
  const ports = readSlicePorts(collector, slice.ports)
  const endpoints = readEndpoints(collector, slice, family, context, ports)
  return mapList(ports, ({ portName, protocol, port }) => {
    return { family, portName, protocol, endpoints: mapList(endpoints, (endpoint) => withPort(endpoint, port)) }
  })
}

const NOTHING: EndpointsReadResult = { portEndpoints: [], diagnostics: [] }

/** One valid item of the `ports` of a slice. */
interface SlicePortFacts {
  readonly portName: string
  readonly protocol: Protocol
  readonly port: number
}

function readSlicePorts(collector: DiagnosticCollector, value: unknown): readonly SlicePortFacts[] {
  const ports: SlicePortFacts[] = []
  readList(collector, 'ports', value).forEach((item, index) => {
    const errors = collector.errors
    const port = readSlicePort(collector, `ports[${index}]`, item)
    if (port !== undefined && collector.errors === errors) ports.push(port)
  })
  return ports
}

function readSlicePort(collector: DiagnosticCollector, path: string, item: unknown): SlicePortFacts | undefined {
  if (!isObject(item)) {
    addTypeError(collector, path, item, 'a port', 'an object')
    return undefined
  }
  const portName = readString(collector, `${path}.name`, item.name)
  const protocol = readProtocol(collector, `${path}.protocol`, item.protocol)
  const port = readOptionalPort(collector, `${path}.port`, item.port)
  const missing = missingPart(item)
  if (missing === undefined) return { portName, protocol, port }
  addWarning(collector, 'missingField', `${path}.${missing}`, `kube-proxy ignores slice ports without ${missing}`)
  return undefined
}

/**
 * Returns the name of the missing field of a slice port. kube-proxy ignores a slice port without a name, and a slice
 * port without a number, which would mean all ports. An empty name is valid.
 */
function missingPart(port: Fields): string | undefined {
  if (isAbsent(port.name)) return 'name'
  return isAbsent(port.port) || port.port === 0 ? 'port' : undefined
}

/** Returns the endpoints of the slice in order of precedence, with the first port of the slice. */
function readEndpoints(
  collector: DiagnosticCollector,
  slice: Fields,
  family: IpFamily,
  context: ModelContext,
  ports: readonly SlicePortFacts[],
): readonly Endpoint[] {
  const items = readList(collector, 'endpoints', slice.endpoints)
  const shared: EndpointSliceContext = {
    port: ports[0]?.port ?? 0,
    family,
    nodeName: context.nodeName,
    features: context.features,
  }
  const endpoints: (Endpoint | undefined)[] = []
  for (let index = 0; index < items.length; index += 1) {
    const errors = collector.errors
    const endpoint = readSliceEndpoint(collector, index, items[index], shared)
    const isUsed = collector.errors === errors && (endpoint?.ready || context.features.notReadyEndpoints)
    endpoints.push(isUsed ? endpoint : undefined)
  }
  return sortEndpointsByPrecedence(endpoints, items, context.features).filter((endpoint) => endpoint !== undefined)
}

/**
 * Sorts the parsed endpoints of one slice by precedence for equal addresses; `read` has one endpoint for each of
 * `items`. Depending on the version, the order is the slice order, or the order of all addresses of each endpoint, like
 * in `newEndpointSliceInfo` of kube-proxy v1.30. Unlike Go's sort, which is not stable for more than twelve endpoints,
 * this sort is stable.
 */
function sortEndpointsByPrecedence<Read>(
  read: readonly Read[],
  items: readonly unknown[],
  features: Features,
): readonly Read[] {
  if (features.endpointsInSliceOrder) return read
  const keys = items.map((item) => addressesOf(item).map(textOf).join(','))
  const order = [...read.keys()].sort((a, b) => compareValues(keys[a] ?? '', keys[b] ?? ''))
  return order.map((index) => elementAt(read, index))
}

function addressesOf(item: unknown): readonly unknown[] {
  return isObject(item) && Array.isArray(item.addresses) ? item.addresses : []
}

/** Returns the text of an address. Only the first address is validated; other addresses may have any type. */
function textOf(address: unknown): string {
  return typeof address === 'string' ? address : ''
}
