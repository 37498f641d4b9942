import { type Diagnostic, type Endpoints, IP_FAMILIES, type IpFamily, type Protocol } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { familyOf, joinHostPort, parseIp } from '@kube-rules/types/internal/ip'
import type { Features } from '../configuration/features.js'
import { createUnusedObject } from '../reading/api-groups.js'
import { addTypeError, createDiagnosticCollector, type DiagnosticCollector } from '../reading/diagnostic-collector.js'
import { areEndpointsExcluded, cacheKeyOf, referenceOf } from '../reading/metadata.js'
import {
  type Fields,
  isObject,
  readList,
  readObject,
  readPort,
  readProtocol,
  readString,
} from '../reading/read-field.js'
import { readSafely } from '../reading/read-safely.js'
import { type Endpoint, NO_HINTS, withPort } from './endpoint.js'
import { checkEndpointAddress } from './endpoint-address.js'
import type { EndpointsReadResult, PortEndpoints } from './endpoints-by-port.js'
import type { ModelContext } from './model-context.js'

/** An Endpoints object and its Service, before the endpoints are read. */
export interface EndpointsHeader {
  /** The cache key (`cacheKeyOf`). */
  readonly key: string
  /** The original object, for identity comparison. */
  readonly original: unknown
  /** The fields of the object; absent if a label excludes it, or if it is invalid. */
  readonly fields: Fields | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the identity of an Endpoints object. An Endpoints object has the namespace and name of its Service. */
export function readEndpointsHeader(endpoints: Endpoints, features: Features): EndpointsHeader {
  if (isOfOtherGroup('Endpoints', endpoints))
    return { ...createUnusedObject('Endpoints', endpoints), fields: undefined }
  const collector = createDiagnosticCollector(referenceOf('Endpoints', endpoints))
  const fields = readSafely(collector, () => readFields(collector, endpoints, features), undefined)
  return {
    key: cacheKeyOf(collector.object),
    original: endpoints,
    fields: collector.errors > 0 ? undefined : fields,
    diagnostics: collector.diagnostics,
  }
}

function readFields(collector: DiagnosticCollector, object: unknown, features: Features): Fields | undefined {
  if (!isObject(object)) {
    addTypeError(collector, '', object, 'an Endpoints object', 'an object')
  }
  const fields = isObject(object) ? object : {}
  const metadata = readObject(collector, 'metadata', fields.metadata)
  return areEndpointsExcluded(metadata, features) ? undefined : fields
}

/**
 * Reads the endpoints that an Endpoints object contributes to the ports of its Service, in both families. Mirrors two
 * implementations: kube-proxy v1.30 with the slices that the EndpointSliceMirroring controller creates for the object,
 * and `endpointsToEndpointsMap` of kube-proxy v1.18.
 */
export function readLegacyEndpoints(head: EndpointsHeader, context: ModelContext): EndpointsReadResult {
  const collector = createDiagnosticCollector(referenceOf('Endpoints', head.original))
  const read = () =>
    readList(collector, 'subsets', head.fields?.subsets).flatMap((subset, index) =>
      readSubset(collector, `subsets[${index}]`, subset, context),
    )
  return { portEndpoints: readSafely(collector, read, []), diagnostics: collector.diagnostics }
}

function readSubset(
  collector: DiagnosticCollector,
  path: string,
  item: unknown,
  context: ModelContext,
): PortEndpoints[] {
  if (!isObject(item)) {
    addTypeError(collector, path, item, 'a subset', 'an object')
    return []
  }
  const endpoints = [
    ...readAddressList(collector, `${path}.addresses`, item.addresses, true, context),
    ...readAddressList(collector, `${path}.notReadyAddresses`, item.notReadyAddresses, false, context),
  ].filter(({ ready }) => ready || context.features.notReadyEndpoints)
  const ports = readSubsetPorts(collector, `${path}.ports`, item.ports)
  return ports.flatMap((port) => IP_FAMILIES.map((family) => portEndpointsOf(port, endpoints, family)))
}

function portEndpointsOf(port: SubsetPort, endpoints: readonly Endpoint[], family: IpFamily): PortEndpoints {
  const own = endpoints.filter((endpoint) => familyOf(endpoint.ip) === family)
  return {
    family,
    portName: port.portName,
    protocol: port.protocol,
    endpoints: own.map((endpoint) => withPort(endpoint, port.port)),
  }
}

interface SubsetPort {
  readonly portName: string
  readonly protocol: Protocol
  readonly port: number
}

function readSubsetPorts(collector: DiagnosticCollector, path: string, value: unknown): readonly SubsetPort[] {
  const items = readList(collector, path, value)
  return items.flatMap((item, index) => readSubsetPort(collector, `${path}[${index}]`, item))
}

function readSubsetPort(collector: DiagnosticCollector, path: string, item: unknown): readonly SubsetPort[] {
  const errors = collector.errors
  const fields = readObject(collector, path, item)
  const port = {
    portName: readString(collector, `${path}.name`, fields.name),
    protocol: readProtocol(collector, `${path}.protocol`, fields.protocol),
    port: readPort(collector, `${path}.port`, fields.port),
  }
  return collector.errors === errors ? [port] : []
}

/** Reads the endpoints of one address list of a subset. Each endpoint has the placeholder port 0. */
function readAddressList(
  collector: DiagnosticCollector,
  path: string,
  value: unknown,
  ready: boolean,
  context: ModelContext,
): readonly Endpoint[] {
  const items = readList(collector, path, value)
  return items.flatMap((item, index) => readSubsetAddress(collector, `${path}[${index}]`, item, ready, context))
}

function readSubsetAddress(
  collector: DiagnosticCollector,
  path: string,
  item: unknown,
  ready: boolean,
  context: ModelContext,
): readonly Endpoint[] {
  const errors = collector.errors
  const fields = readObject(collector, path, item)
  const ip = readIp(collector, `${path}.ip`, fields.ip)
  const nodeName = readString(collector, `${path}.nodeName`, fields.nodeName)
  if (collector.errors > errors) return []
  return [
    {
      ip,
      port: 0,
      text: joinHostPort(ip, 0),
      ready,
      // Mirrored slices have no condition `serving`, so it is true.
      serving: true,
      terminating: false,
      nodeName,
      local: nodeName !== '' && nodeName === context.nodeName,
      hints: NO_HINTS,
    },
  ]
}

function readIp(collector: DiagnosticCollector, path: string, written: unknown): string {
  const address = parseIp(written)
  checkEndpointAddress(collector, path, written, address, address?.family ?? 'IPv4')
  return address?.text ?? ''
}
