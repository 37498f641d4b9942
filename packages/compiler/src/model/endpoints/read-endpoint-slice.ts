import type { IpFamily, Protocol } from '@kube-rules/types'
import { compareValues } from '../../internal/compare-values.js'
import { elementAt } from '../../internal/known-items.js'
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
  const findings = createDiagnosticCollector(referenceOf('EndpointSlice', head.original))
  const read = () => readPortEndpoints(findings, head.original, family, context)
  return { portEndpoints: readSafely(findings, read, []), diagnostics: findings.diagnostics }
}

function readPortEndpoints(
  findings: DiagnosticCollector,
  given: unknown,
  family: IpFamily,
  context: ModelContext,
): readonly GrowingPort[] {
  const slice = isObject(given) ? given : {}
  const portEndpoints: GrowingPort[] = readSlicePorts(findings, slice.ports).map(({ portName, protocol, port }) => {
    return { family, portName, protocol, port, endpoints: [] }
  })
  readEndpoints(findings, slice, family, context, portEndpoints)
  return portEndpoints
}

const NOTHING: EndpointsReadResult = { portEndpoints: [], diagnostics: [] }

/** The endpoints of one slice port, collected while the slice is read. */
interface GrowingPort extends PortEndpoints {
  readonly port: number
  readonly endpoints: Endpoint[]
}

/** One valid item of the `ports` of a slice. */
interface SlicePortFacts {
  readonly portName: string
  readonly protocol: Protocol
  readonly port: number
}

function readSlicePorts(findings: DiagnosticCollector, value: unknown): readonly SlicePortFacts[] {
  const ports: SlicePortFacts[] = []
  readList(findings, 'ports', value).forEach((item, index) => {
    const errors = findings.errors
    const port = readSlicePort(findings, `ports[${index}]`, item)
    if (port !== undefined && findings.errors === errors) ports.push(port)
  })
  return ports
}

function readSlicePort(findings: DiagnosticCollector, path: string, item: unknown): SlicePortFacts | undefined {
  if (!isObject(item)) {
    addTypeError(findings, path, item, 'a port', 'an object')
    return undefined
  }
  const portName = readString(findings, `${path}.name`, item.name)
  const protocol = readProtocol(findings, `${path}.protocol`, item.protocol)
  const port = readOptionalPort(findings, `${path}.port`, item.port)
  const missing = missingPart(item)
  if (missing === undefined) return { portName, protocol, port }
  addWarning(findings, 'missingField', `${path}.${missing}`, `kube-proxy ignores slice ports without ${missing}`)
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

/** Adds every endpoint of the slice to every port of the slice, in order of precedence. */
function readEndpoints(
  findings: DiagnosticCollector,
  slice: Fields,
  family: IpFamily,
  context: ModelContext,
  ports: readonly GrowingPort[],
): void {
  const items = readList(findings, 'endpoints', slice.endpoints)
  const shared: EndpointSliceContext = {
    port: ports[0]?.port ?? 0,
    family,
    nodeName: context.nodeName,
    features: context.features,
  }
  const endpoints: (Endpoint | undefined)[] = []
  for (let index = 0; index < items.length; index += 1) {
    const errors = findings.errors
    const endpoint = readSliceEndpoint(findings, index, items[index], shared)
    const isUsed = findings.errors === errors && (endpoint?.ready || context.features.notReadyEndpoints)
    endpoints.push(isUsed ? endpoint : undefined)
  }
  for (const endpoint of sortEndpointsByPrecedence(endpoints, items, context.features)) {
    if (endpoint === undefined) continue
    for (const port of ports) port.endpoints.push(withPort(endpoint, port.port))
  }
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
